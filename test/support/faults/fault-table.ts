import { readFileSync } from 'node:fs';

/** How many columns the table has. */
const COLUMNS = 6;

/** One row of the table of faults: the texts in code of each of its cells. */
export interface FaultRow {
  /** The name of the fault, as the table has it. */
  readonly name: string;
  readonly fault: readonly string[];
  readonly health: readonly string[];
  readonly events: readonly string[];
  readonly log: readonly string[];
  readonly metrics: readonly string[];
  readonly doctor: readonly string[];
}

/** Reads the table of docs/operate/troubleshooting.md. */
export function faultTable(): FaultRow[] {
  const page = readFileSync('docs/operate/troubleshooting.md', 'utf8');
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const cells = line.split('|').slice(1, -1);
    if (cells.length !== COLUMNS) throw new Error(`a row with ${cells.length} cells: ${line}`);
    const spans = cells.map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!));
    const [fault = [], health = [], events = [], log = [], metrics = [], doctor = []] = spans;
    return { name: cells[0]!.trim(), fault, health, events, log, metrics, doctor };
  });
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
