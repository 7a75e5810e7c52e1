import { describe, expect, it } from '@jest/globals';
import type { Message, Note, Span, Trace } from '../../../sample-app/playground/events.js';
import { fold, textOf } from '../../../sample-app/playground/fold.js';
import { draw } from '../../../sample-app/playground/view/draw.js';

const GAP = 4;
const span = (from: number, to: number, given: Partial<Span> = {}): Span => {
  return { lane: 'one', kind: 'holds', from, to, label: 'has the lock', ...given };
};
const textsOf = (spans: readonly Span[]): string[] => fold(spans, GAP).map((bar) => textOf(bar));

describe('fold', () => {
  it('makes one bar of spans that nobody could tell apart, and counts them', () => {
    const spans = Array.from({ length: 37 }, (_, index) => span(10 * index, 10 * index + 8));
    expect(fold(spans, GAP)).toMatchObject([{ from: 0, to: 368, count: 37 }]);
    expect(textsOf(spans)).toEqual(['has the lock ×37']);
  });

  it('joins what overlaps, also within a longer span', () => {
    expect(fold([span(0, 100), span(20, 30), span(101, 110)], GAP)).toMatchObject([{ from: 0, to: 110, count: 3 }]);
    expect(fold([span(50, 60), span(0, 20), span(18, 48)], GAP)).toMatchObject([
      { from: 50, to: 60, count: 1 },
      { from: 0, to: 48, count: 2 },
    ]);
  });

  it('keeps apart what has room, and what is of another lane, kind or label', () => {
    expect(textsOf([span(0, 10), span(10 + GAP, 20)])).toEqual(['has the lock', 'has the lock']);
    expect(fold([span(0, 10), span(5, 10, { lane: 'two' })], GAP)).toHaveLength(2);
    expect(fold([span(0, 10), span(5, 10, { kind: 'works' })], GAP)).toHaveLength(2);
    expect(fold([span(0, 10), span(5, 10, { label: 'charges' })], GAP)).toHaveLength(2);
  });

  it('takes labels for alike that differ in numbers', () => {
    const tokens = [4, 5, 6].map((token) => span(token, token + 1, { label: `token ${token}` }));
    expect(textsOf(tokens)).toEqual(['token # ×3']);
    expect(textsOf([tokens[0]!, tokens[0]!])).toEqual(['token 4 ×2']);
    expect(textsOf([span(0, 9, { label: '' }), span(5, 12, { label: '' })])).toEqual(['has the lock ×2']);
  });

  it('leaves the spans as they are', () => {
    const spans = [span(0, 10), span(5, 20)];
    fold(spans, GAP);
    expect(spans).toEqual([span(0, 10), span(5, 20)]);
  });
});

describe('draw', () => {
  const COUNT = 2_000;
  const end = 10 * COUNT;
  const lanes = Array.from({ length: 20 }, (_, index) => ({ id: `${index}`, label: `Lane ${index}` }) as const);
  const laneOf = (index: number): string => `${index % lanes.length}`;
  const indexes = [...Array(COUNT).keys()];
  const spans = indexes.map((index) => span(10 * index, 10 * index + 5, { lane: laneOf(index) }));
  const messages = indexes.map((id): Message => {
    const way = { from: laneOf(id), to: laneOf(7 * id + 3), sent: 10 * id, arrived: 10 * id + 30, lost: undefined };
    return { id, ...way, label: 'asks', tone: 'plain', isQuiet: true };
  });
  const notes = indexes.map((index): Note => ({ at: index / 100, lane: '0', text: 'asks', tone: 'plain' }));
  const all = { lanes: lanes.map((lane) => ({ ...lane, kind: 'app' }) as const), leases: [], alarms: [] };
  const trace: Trace = { ...all, spans, messages, notes, end };
  const view = { width: 900, time: end, from: 0, to: end };
  const countOf = (svg: string, part: string): number => svg.split(part).length - 1;

  it('stays readable with thousands of messages and notes', () => {
    const { svg } = draw(trace, view);
    expect(countOf(svg, '<line class="way')).toBeLessThan(1_600);
    expect(countOf(svg, '<circle class="note')).toBeLessThan(5);
    const few = draw({ ...trace, messages: messages.slice(0, 300) }, view);
    expect(countOf(few.svg, '<line class="way')).toBe(300);
  });

  it('shows every message that is on its way, because the reader can drop it', () => {
    const near = messages.slice(0, 5).map((message) => ({ ...message, from: '0', to: '1', sent: 0, arrived: 2_000 }));
    const shown = (time: number): number =>
      countOf(draw({ ...trace, messages: near }, { ...view, time }).svg, '<line class="way');
    expect([shown(1_000), shown(3_000)]).toEqual([5, 1]);
  });

  it('writes every time of the axis within the drawing', () => {
    const { svg } = draw(trace, { ...view, width: 400, to: 12_000 });
    const times = [...svg.matchAll(/class="time" x="([\d.]+)"[^>]*>([^<]+)</g)];
    expect(times.at(-1)![2]).toBe('12 s');
    for (const [, x, text] of times) expect(Number(x) + 3.2 * text!.length).toBeLessThanOrEqual(400);
  });

  it('tells what is folded, and finds the moment at a place', () => {
    const { svg, folded, timeAt } = draw(trace, { ...view, width: 200 });
    expect(folded).toContain('Lane 0: has the lock ×100');
    expect(svg).toContain(`data-span="0 ${end - 195}"`);
    expect(svg).toContain('<title>has the lock ×100</title>');
    expect(Math.round(timeAt(200 - 12))).toBe(end);
  });
});
