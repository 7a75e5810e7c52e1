import { createInterface } from 'node:readline/promises';
import type { Io } from './io.js';
import { run } from './program.js';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
// The program that reads the output may end before the command does.
process.stdout.on('error', () => process.exit());

/** Asks the operator; Ctrl-C and the end of the input are the empty answer. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const silenced = new AbortController();
  terminal.once('SIGINT', () => silenced.abort()).once('close', () => silenced.abort());
  try {
    return await terminal.question(question, { signal: AbortSignal.any([ending.signal, silenced.signal]) });
  } catch {
    return '';
  } finally {
    terminal.close();
  }
}

const io: Io = {
  env: process.env,
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  isTerminal: process.stdout.isTTY,
  interrupted: ending.signal,
};

void run(process.argv.slice(2), io).then((code) => {
  process.exitCode = code;
});
