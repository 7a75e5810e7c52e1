import { readFileSync } from 'node:fs';

/** How many columns the table has. */
const COLUMNS = 6;

/** The lines of the log that the table names by their code, and the reason in them. */
const LINES: Readonly<Record<string, string>> = {
  REDLOCK_W01: '<node> is down: <reason>',
  REDLOCK_W02: '<node> refuses to vote: <reason>',
  REDLOCK_W03: '<node>: <reason>',
  REDLOCK_W05: '<node> does not vote for <n> ms: <reason>',
  REDLOCK_W07: 'No quorum: <reason>',
};

/** One row of the table of faults: the texts in code of each of its cells. */
export interface FaultRow {
  /** The name of the fault, as the table has it. */
  readonly name: string;
  readonly fault: readonly string[];
  readonly health: readonly string[];
  readonly events: readonly string[];
  /** Whole lines. */
  readonly log: readonly string[];
  readonly metrics: readonly string[];
  readonly doctor: readonly string[];
}

/** Reads the table of docs/operate/troubleshooting.md. */
export function faultTable(): FaultRow[] {
  const page = readFileSync('docs/operate/troubleshooting.md', 'utf8');
  const section = page.split('\n## ').find((one) => one.startsWith('What each fault shows')) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map(toRow);
}

function toRow(line: string): FaultRow {
  const cells = line.split('|').slice(1, -1);
  if (cells.length !== COLUMNS) throw new Error(`a row with ${cells.length} cells: ${line}`);
  const spans = cells.map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!));
  const [fault = [], health = [], events = [], log = [], metrics = [], doctor = []] = spans;
  const whole = (text: string): string => text.replaceAll('<reason>', health[1] ?? '<text>');
  return {
    name: cells[0]!.trim(),
    fault,
    health,
    events,
    log: log.map((text) => whole(lineOf(text))),
    metrics,
    doctor: doctor.map(whole),
  };
}

/** Returns the line for `REDLOCK_W02: <reason>`, or for words such as `votes again`, which are about the node. */
function lineOf(text: string): string {
  const [, code = '', reason = ''] = /^(REDLOCK_W\d+): (.*)$/.exec(text) ?? [];
  const line = LINES[code];
  return line === undefined ? `<node> ${text}` : `${line.replace('<reason>', reason)} [${code}]`;
}

/** Returns what a text of the table stands for: `<node>` is this node, `<n>` a number, and any other word in brackets some text. */
export function patternOf(text: string, node = ''): RegExp {
  const parts = text.split(/(<\w+>)/).map((part) => {
    if (part === '<node>') return escaped(node);
    if (part === '<n>') return '-?\\d+';
    return /^<\w+>$/.test(part) ? '.+' : escaped(part);
  });
  return new RegExp(`^${parts.join('')}$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
