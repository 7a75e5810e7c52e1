import { cpus, release, totalmem, type } from 'node:os';
import { relative } from 'node:path';

/** Where and when something was measured. @param {string} redis its version */
export function machine(redis) {
  return {
    date: new Date().toISOString(),
    command: ['node', relative(process.cwd(), process.argv[1] ?? ''), ...process.argv.slice(2)].join(' '),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    redis,
  };
}
