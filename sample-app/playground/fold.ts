import type { Span, SpanKind } from './events.js';

/** One bar of a drawing: a span, or several that stand so near to each other that nobody could tell them apart. */
export interface Bar extends Omit<Span, 'from'> {
  from: number;
  /** How many spans it stands for. */
  count: number;
}

const NAMES: Readonly<Record<SpanKind, string>> = {
  holds: 'has the lock',
  waits: 'waits',
  refused: 'waits, and gets no lock',
  frozen: 'is paused',
  down: 'stopped',
  quarantine: 'no vote',
  works: 'works',
  over: 'its lease is over',
  fault: 'has a fault',
  way: 'has a fault on its ways',
};

/** Spans of one lane and kind whose labels differ in numbers at most are one bar if they overlap or are less than `gap` ms apart. */
export function fold(spans: readonly Span[], gap: number): readonly Bar[] {
  const bars: Bar[] = [];
  const latest = new Map<string, Bar>();
  for (const span of spans) {
    const key = `${span.lane} ${span.kind} ${withoutNumbers(span.label)}`;
    const bar = latest.get(key);
    if (bar !== undefined && span.from - bar.to < gap && bar.from - span.to < gap) join(bar, span);
    else {
      const made = { ...span, count: 1 };
      latest.set(key, made);
      bars.push(made);
    }
  }
  return bars;
}

/** The text of a bar: `has the lock ×37`. */
export function textOf({ kind, label, count }: Pick<Bar, 'kind' | 'label' | 'count'>): string {
  return count === 1 ? label : `${label || NAMES[kind]} ×${count}`;
}

function join(bar: Bar, { from, to, label }: Span): void {
  bar.from = Math.min(bar.from, from);
  bar.to = Math.max(bar.to, to);
  bar.count += 1;
  if (bar.label !== label) bar.label = withoutNumbers(label);
}

function withoutNumbers(label: string): string {
  return label.replaceAll(/\d+(?:[.,:]\d+)*/g, '#');
}
