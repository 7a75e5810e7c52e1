import { describe, expect, it } from '@jest/globals';
import { unpack } from '../../../sample-app/playground/chaos-run.js';
import { CAST, CHAPTER, HOLD, OVERLAP } from './example.js';
import { pack } from './pack.js';
import { renderPage, type Page } from './page.js';
import { traceOf } from './trace.js';

const trace = traceOf(CHAPTER, CAST, { overlaps: [OVERLAP], recovery: 80 });
const spansOf = (lane: string) => trace.spans.filter((span) => span.lane === lane);
const textsOf = (lane: string) => trace.notes.filter((note) => note.lane === lane).map(({ text }) => text);

describe('traceOf', () => {
  it('has a lane for each node, each client and the hot resource', () => {
    expect(trace.lanes.map(({ id }) => id)).toEqual([...CAST.nodes, ...CAST.clients, 'hot']);
    expect(trace).toMatchObject({ end: 3_000, calm: { from: 2_000, to: 3_000 } });
  });

  it('shows faults of nodes, of clients and of ways', () => {
    expect(spansOf('node 1')).toEqual([{ lane: 'node 1', kind: 'down', from: 200, to: 500, label: 'kill-node' }]);
    expect(spansOf('node 2')).toMatchObject([{ kind: 'fault', label: 'script-flush' }]);
    expect(spansOf('client 2')).toContainEqual(
      expect.objectContaining({ kind: 'way', from: 200, to: 500, label: 'blackhole to node 1, 2' }),
    );
    expect(textsOf('node 1')).toEqual(['kill-node, for 300 ms']);
  });

  it('shows holders and waiters, and whoever waits until the process is killed', () => {
    expect(spansOf('hot')).toMatchObject([
      { kind: 'holds', from: 100, to: 300, label: 'client 1' },
      { kind: 'holds', from: 250, to: 300, label: 'client 2' },
    ]);
    expect(spansOf('client 1')).toMatchObject([
      { kind: 'waits', from: 50, to: 100 },
      { kind: 'holds', from: 100, to: 300, label: 'has hot' },
    ]);
    expect(spansOf('client 2')).toContainEqual(expect.objectContaining({ kind: 'refused', from: 50, to: 200 }));
    expect(spansOf('client 2')).toContainEqual(expect.objectContaining({ kind: 'waits', from: 900, to: 1_000 }));
  });

  it('tells in the table who got it, when, with which token, and who gave up', () => {
    expect(textsOf('client 1')).toEqual(['gets hot after 50 ms, token 1 (client 1.1/3)', 'releases hot']);
    expect(textsOf('client 2')).toContain('gives up on hot after 150 ms: LOCKED (client 2.1/1)');
    expect(textsOf('hot')).toEqual(['recovered 80 ms after the last fault']);
  });

  it('shows the loss of a lock in the drawing', () => {
    const history = { ...CHAPTER.history, holds: [{ ...HOLD, lost: 1_300 }] };
    const { notes } = traceOf({ ...CHAPTER, history }, CAST, { overlaps: [], recovery: 0 });
    const lost = notes.find(({ text }) => text === 'loses hot');
    expect(lost).toEqual({ at: 300, lane: 'client 1', text: 'loses hot', tone: 'bad' });
  });

  it('makes an alarm of an overlap', () => {
    const text = 'client 1.1/3 and client 2.1/4 both hold hot for 50.0 ms';
    expect(trace.alarms).toEqual([{ from: 250, to: 300, text }]);
  });
});

describe('pack', () => {
  it('keeps everything that the page unpacks', () => {
    const notes = trace.notes.map((note) => ({ isInTableOnly: false, ...note }));
    expect(unpack(pack(trace))).toEqual({ ...trace, notes });
  });
});

describe('renderPage', () => {
  const page: Page = { title: 'A <run>', summary: [['holds', '2 & more']], complaints: [], chapters: [] };

  it('is one file that needs nothing else and takes text for text', async () => {
    const chapter = { name: 'Chapter 1', tells: '</script>', complaints: ['a & b'], trace };
    const html = await renderPage({ ...page, chapters: [chapter] });
    expect(html).toContain('A &lt;run&gt;');
    expect(html).toContain('2 &amp; more');
    expect(html).not.toMatch(/src=|@import|url\(|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    const json = /id="run">(.*?)<\/script>/.exec(html)![1]!;
    expect(JSON.parse(json)).toEqual([{ ...chapter, trace: JSON.parse(JSON.stringify(pack(trace))) }]);
  });

  it('says whether anything was wrong', async () => {
    expect(await renderPage(page)).toContain('Nothing that must not be was found.');
    expect(await renderPage({ ...page, complaints: ['two held'] })).toContain('<li>two held</li>');
  });
});
