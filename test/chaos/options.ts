import { parseArgs } from 'node:util';
import { BEARABLE, FORGETTING, NEMESES } from './nemeses/table.js';
import type { Nemesis } from './nemeses/nemesis.js';
import { SABOTAGES } from './specials/sabotage.js';

export const USAGE = `Usage: npm run chaos -- [options]

  --minutes <n>          how long faults happen (1)
  --seconds <n>          the same in seconds
  --chapter <n>          seconds of faults before everything is healed and has to recover (20)
  --rounds <n>           instead: kill three of five while a lock is held, so many times
  --seed <n>             repeats the choice of faults
  --nemeses <a,b>        only these faults
  --without <a,b>        all but these faults
  --no-forgetting        without the faults that let nodes forget
  --clients <n>          client processes (5)
  --ttl <ms>             length of a lease (800)
  --max-ttl <ms>         longest lease, and length of a quarantine (1500)
  --node-timeout <ms>    how long a node may take to answer (80)
  --quarantine off       takes the protection against nodes that forgot away
  --sabotage <name>      takes another protection away: ${Object.keys(SABOTAGES).join(', ')}
  --library <index.js>   a built library instead of lib/
  --out <folder>         writes report.json, report.md and page.html there
  --help                 shows this

The faults:
${NEMESES.map(lineOf).join('\n')}`;

function lineOf({ name, title, isBeyond }: Nemesis): string {
  return `  ${name.padEnd(18)} ${title}${isBeyond ? ' (only by --nemeses: beyond what is promised)' : ''}`;
}

export interface ChaosOptions {
  /** Ms. */
  readonly duration: number;
  /** Ms. */
  readonly chapter: number;
  readonly rounds: number;
  readonly seed: number;
  readonly nemeses: readonly string[];
  readonly clients: number;
  readonly ttl: number;
  readonly maxTtl: number;
  readonly nodeTimeout: number;
  readonly restartQuarantine: boolean;
  readonly sabotage: string | undefined;
  readonly library: string | undefined;
  readonly out: string | undefined;
  readonly help: boolean;
}

const TEXT = { type: 'string' } as const;
const SHAPE = {
  minutes: TEXT,
  seconds: TEXT,
  chapter: TEXT,
  rounds: TEXT,
  seed: TEXT,
  nemeses: TEXT,
  without: TEXT,
  clients: TEXT,
  ttl: TEXT,
  'max-ttl': TEXT,
  'node-timeout': TEXT,
  quarantine: TEXT,
  sabotage: TEXT,
  library: TEXT,
  out: TEXT,
  'no-forgetting': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const MOST_MINUTES = 24 * 60;

/** @throws Error that says what is wrong */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({ args: [...args], options: SHAPE });
  const seconds = number('seconds', values.seconds, { least: 1, most: MOST_MINUTES * 60, otherwise: 60 });
  const minutes = number('minutes', values.minutes, { least: 0.1, most: MOST_MINUTES, otherwise: seconds / 60 });
  const quarantine = values.quarantine ?? 'on';
  if (!['on', 'off'].includes(quarantine)) throw new Error(`--quarantine must be on or off; got ${quarantine}`);
  if (values.sabotage !== undefined) pick('sabotage', values.sabotage, Object.keys(SABOTAGES));
  return {
    duration: minutes * 60_000,
    chapter: 1_000 * number('chapter', values.chapter, { least: 2, most: 600, otherwise: 20 }),
    rounds: number('rounds', values.rounds, { least: 0, most: 10_000, otherwise: 0 }),
    seed: number('seed', values.seed, { least: 0, most: 2 ** 31, otherwise: Math.floor(Math.random() * 1e6) }),
    nemeses: chosen(values.nemeses, values.without).filter(
      (name) => !values['no-forgetting'] || !FORGETTING.includes(name),
    ),
    clients: number('clients', values.clients, { least: 2, most: 20, otherwise: 5 }),
    ttl: number('ttl', values.ttl, { least: 100, most: 60_000, otherwise: 800 }),
    maxTtl: number('max-ttl', values['max-ttl'], { least: 100, most: 60_000, otherwise: 1_500 }),
    nodeTimeout: number('node-timeout', values['node-timeout'], { least: 1, most: 10_000, otherwise: 80 }),
    restartQuarantine: quarantine === 'on',
    sabotage: values.sabotage,
    library: values.library,
    out: values.out,
    help: values.help,
  };
}

function number(
  name: string,
  text: string | undefined,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new Error(`--${name} must be a number from ${least} to ${most}; got ${text}`);
}

function chosen(only: string | undefined, without: string | undefined): string[] {
  const all = NEMESES.map(({ name }) => name);
  const picked = only === undefined ? BEARABLE.map(({ name }) => name) : pick('nemeses', only, all);
  const dropped = without === undefined ? [] : pick('without', without, all);
  return picked.filter((name) => !dropped.includes(name));
}

function pick(option: string, list: string, known: readonly string[]): string[] {
  const picked = list.split(',').map((name) => name.trim());
  const stranger = picked.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new Error(`--${option}: there is no "${stranger}"; there are ${known.join(', ')}`);
  return picked;
}
