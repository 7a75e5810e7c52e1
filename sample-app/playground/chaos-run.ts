import type { Alarm, Lane, Note, Span, SpanKind, Tone, Trace } from './events.js';

/** A trace as the page of a chaos run contains it: most of it is numbers. */
export interface PackedTrace {
  readonly lanes: readonly Lane[];
  /** All texts: labels, kinds and tones. */
  readonly words: readonly string[];
  /** Five numbers a span: ms since the beginning of the one before, length in ms, lane, kind, label. */
  readonly spans: readonly number[];
  /** Five numbers a note: ms since the one before, lane, tone, text, and 1 if only the table tells it. */
  readonly notes: readonly number[];
  readonly alarms: readonly Alarm[];
  readonly calm: Trace['calm'];
  readonly end: number;
}

/** A stretch of faults and the calm after it. */
export interface ChaosChapter {
  readonly name: string;
  readonly tells: string;
  readonly complaints: readonly string[];
  readonly trace: PackedTrace;
}

export function unpack({ words, spans, notes, ...packed }: PackedTrace): Trace {
  const { lanes } = packed;
  const laneOf = (index: number): string => lanes[index]!.id;
  let from = 0;
  const unpackSpan = ([passed, length, lane, kind, label]: Five): Span => {
    from += passed;
    return { lane: laneOf(lane), kind: words[kind] as SpanKind, from, to: from + length, label: words[label]! };
  };
  let at = 0;
  const unpackNote = ([passed, lane, tone, text, hidden]: Five): Note => {
    at += passed;
    return { at, lane: laneOf(lane), text: words[text]!, tone: words[tone] as Tone, isInTableOnly: hidden === 1 };
  };
  return {
    ...packed,
    spans: fives(spans).map(unpackSpan),
    notes: fives(notes).map(unpackNote),
    messages: [],
    leases: [],
  };
}

type Five = readonly [number, number, number, number, number];

function fives(numbers: readonly number[]): Five[] {
  return Array.from(
    { length: numbers.length / 5 },
    (_, index) => numbers.slice(5 * index, 5 * index + 5) as unknown as Five,
  );
}
