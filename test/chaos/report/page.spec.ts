import { describe, expect, it } from '@jest/globals';
import type { Chapter } from '../check/verdict.js';
import type { Hold } from '../record.js';
import { renderPage } from './page.js';
import { Timeline } from './timeline.js';

const HOLD: Hold = {
  id: 'client 1.1/3',
  client: 'client 1.1',
  resource: 'hot',
  token: 42,
  from: 1_100,
  to: 1_300,
  until: 1_400,
  lost: undefined,
};
const SECOND: Hold = { ...HOLD, id: 'client 2.1/4', client: 'client 2.1', from: 1_250, token: 43 };
const CHAPTER: Chapter = {
  from: 1_000,
  calm: { from: 3_000, to: 4_000, limit: 1_000 },
  faults: [
    { name: 'kill-node', where: ['node 1'], from: 1_200, to: 1_500 },
    { name: 'blackhole', where: ['way 2-1'], from: 1_200, to: 1_500 },
  ],
  history: {
    asks: [
      { id: HOLD.id, client: HOLD.client, resource: 'hot', asked: 1_050, answered: 1_100, code: undefined },
      { id: 'client 2.1/1', client: 'client 2.1', resource: 'hot', asked: 1_050, answered: 1_200, code: 'LOCKED' },
    ],
    holds: [HOLD, SECOND],
    looks: [],
    stalls: [],
    onces: [],
    troubles: [],
    nodeEvents: new Map(),
  },
};
const ROWS = { nodes: ['node 1', 'node 2'], clients: ['client 1', 'client 2'] };

describe('Timeline', () => {
  const svg = new Timeline(CHAPTER, ROWS, [{ first: HOLD, second: SECOND, ms: 50 }]).draw();

  it('shows nodes, faults, ways, holders, waiters and overlaps', () => {
    for (const name of [...ROWS.nodes, ...ROWS.clients, 'hot']) expect(svg).toContain(`>${name}</text>`);
    expect(svg).toContain('kill-node on node 1, 300 ms');
    expect(svg).toContain('blackhole to node 1');
    expect(svg).toContain('client 1.1/3, token 42, 200.0 ms');
    expect(svg).toContain('client 2.1/1 LOCKED after 150 ms');
    expect(svg).toContain('client 1.1/3 and client 2.1/4 at once, for 50.0 ms');
  });
});

describe('renderPage', () => {
  const page = { title: 'A <run>', summary: [['holds', '2']] as const, chapters: [], complaints: [] };

  it('is one file that needs nothing else and takes text for text', () => {
    const html = renderPage({ ...page, chapters: [{ title: 'One', svg: '<svg></svg>', complaints: ['a & b'] }] });
    expect(html).toContain('A &lt;run&gt;');
    expect(html).toContain('a &amp; b');
    expect(html).not.toMatch(/<script|src=|href=|@import/);
  });

  it('says whether anything was wrong', () => {
    expect(renderPage(page)).toContain('Nothing that must not be was found.');
    expect(renderPage({ ...page, complaints: ['two held'] })).toContain('<li>two held</li>');
  });
});
