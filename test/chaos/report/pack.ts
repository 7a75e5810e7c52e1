import type { PackedTrace } from '../../../sample-app/playground/chaos-run.js';
import type { Trace } from '../../../sample-app/playground/events.js';

/** Writes a trace as numbers and a list of texts; `unpack` of the page reads it. */
export function pack({ lanes, spans, notes, alarms, calm, end }: Trace): PackedTrace {
  const words = new Map<string, number>();
  const wordOf = (word: string): number => {
    if (!words.has(word)) words.set(word, words.size);
    return words.get(word)!;
  };
  const laneIndexes = new Map(lanes.map(({ id }, index) => [id, index]));
  const laneOf = (id: string): number => laneIndexes.get(id)!;
  const packedSpans = spans.flatMap(({ lane, kind, from, to, label }, index) => {
    const passed = from - (spans[index - 1]?.from ?? 0);
    return [passed, to - from, laneOf(lane), wordOf(kind), wordOf(label)];
  });
  const packedNotes = notes.flatMap(({ at, lane, tone, text, isInTableOnly }, index) => {
    const passed = at - (notes[index - 1]?.at ?? 0);
    return [passed, laneOf(lane), wordOf(tone), wordOf(text), isInTableOnly === true ? 1 : 0];
  });
  return { lanes, words: [...words.keys()], spans: packedSpans, notes: packedNotes, alarms, calm, end };
}
