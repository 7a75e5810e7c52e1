import { beforeEach, describe, expect, it } from '@jest/globals';
import { NodeClock, NodeTrust } from '../../../lib/redis/trust.js';
import { Clocks } from '../../support/node-clocks.js';
import type { Answer } from '../../../lib/engine/lock-node.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const HOUR = 3_600_000;

describe('NodeClock', () => {
  let clocks: Clocks;
  beforeEach(() => {
    clocks = new Clocks();
  });

  it.each([-HOUR, 0, HOUR])('has nothing to say of a clock that always was %i ms off', (off) => {
    clocks.node += off;
    const found = Array.from({ length: 5 }, () => {
      clocks.pass(100);
      return clocks.ask();
    });
    expect(found).toEqual([0, 0, 0, 0, 0]);
  });

  it.each([-HOUR, -1_000, -300, 300, 1_000, HOUR])('finds a step by %i ms, and how far at least', (step) => {
    clocks.ask();
    clocks.pass(100);
    clocks.node += step;
    const found = clocks.ask();
    expect(found).toBeGreaterThan(Math.abs(step) - 5);
    expect(found).toBeLessThanOrEqual(Math.abs(step));
  });

  it('finds a step once, and the next one as well', () => {
    clocks.ask();
    const found = [5_000, 0, 0, -5_000, 0].map((step) => {
      clocks.pass(100);
      clocks.node += step;
      return Math.round(clocks.ask() / 1_000);
    });
    expect(found).toEqual([5, 0, 0, 5, 0]);
  });

  it.each([-200, 200])('takes %i ms for noise', (step) => {
    clocks.ask();
    clocks.node += step;
    expect(clocks.ask()).toBe(0);
  });

  it.each<[string, object]>([
    ['question', { there: 5_000 }],
    ['answer', { back: 5_000 }],
    ['question and a slow answer', { there: 5_000, back: 5_000 }],
  ])('is not misled by a slow %s', (_case, ways) => {
    const found = [{}, ways, {}, ways, ways, {}].map((way) => clocks.ask(way));
    expect(found).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it.each<[string, number, object]>([
    ['forward, though the question was slow', 5_000, { there: 2_000 }],
    ['forward, though the answer was slow', 5_000, { back: 2_000 }],
    ['back, though the question was slow', -5_000, { there: 2_000 }],
    ['back, though the answer was slow', -5_000, { back: 2_000 }],
  ])('finds a step %s', (_case, step, ways) => {
    clocks.ask();
    clocks.node += step;
    expect(clocks.ask(ways)).toBeGreaterThan(2_900);
  });

  it.each<[string, number, object]>([
    ['forward behind a slow answer', 1_000, { back: 2_000 }],
    ['back behind a slow question', -1_000, { there: 2_000 }],
  ])('finds a step %s by the next answer that is quick', (_case, step, ways) => {
    clocks.ask();
    clocks.node += step;
    const found = [clocks.ask(ways), clocks.ask()];
    expect(Math.max(...found)).toBeGreaterThan(900);
  });

  it.each([0.991, 1.009])('lets clocks run at different rates: %d', (rate) => {
    clocks.ask();
    for (const ms of [10, 1_000, 60_000, HOUR, 24 * HOUR]) {
      clocks.pass(ms, { node: ms * rate });
      expect(clocks.ask()).toBe(0);
    }
  });

  it('finds a step after a long silence, where it is more than different rates make', () => {
    clocks.ask();
    clocks.pass(60_000);
    clocks.node += 1_000;
    expect(clocks.ask()).toBeGreaterThan(900);
  });

  it.each([-HOUR, -1_000, 1_000, HOUR])('raises no alarm where our own wall clock was set by %i ms', (step) => {
    clocks.ask();
    clocks.wall += step;
    expect([clocks.ask(), clocks.ask()]).toEqual([0, 0]);
  });

  it('raises no alarm where our own wall clock was set while a question was under way', () => {
    clocks.ask();
    const sent = clocks.now;
    clocks.wall += HOUR;
    const noted = new NodeClock();
    noted.note(clocks.node, sent, clocks.now);
    expect(noted.note(clocks.node, clocks.now, clocks.now)).toBe(0);
  });

  it('raises no alarm where our machine was suspended: its monotonic clock stood still', () => {
    clocks.ask();
    clocks.pass(HOUR, { monotonic: 0 });
    expect([clocks.ask(), clocks.ask()]).toEqual([0, 0]);
  });

  it('raises no alarm where our process was stopped', () => {
    clocks.ask();
    clocks.pass(HOUR);
    expect(clocks.ask({ back: 60_000 })).toBe(0);
  });

  it('finds the step of a node after our wall clock was set, and after we were suspended', () => {
    clocks.ask();
    clocks.wall -= HOUR;
    clocks.ask();
    clocks.pass(HOUR, { monotonic: 0 });
    clocks.ask();
    clocks.node += 5_000;
    expect(clocks.ask()).toBeGreaterThan(4_900);
  });
});

const MAX_TTL = 10_000;

it('after a change of its clock, a node is believed if it has a record, and has no vote', async () => {
  const clock = new VirtualClock();
  const options = { keyPrefix: '', channel: 'me', maxTtl: MAX_TTL, restartQuarantine: true };
  const trust = new NodeTrust(options, clock, () => undefined);
  const hear = (time: number): void => trust.heard(time, clock.now(), clock.now());
  const found = { token: 1, value: 'p.1', fingerprint: null, record: 'r', remaining: 1 };
  const judged = (): unknown[] => {
    const cases: readonly (readonly ['open' | 'settle' | 'peek' | 'clear', Answer])[] = [
      ['open', { kind: 'opened', attempts: 1 }],
      ['open', { kind: 'opened', attempts: 1, found }],
      ['open', { kind: 'superseded' }],
      ['settle', { kind: 'settled' }],
      ['peek', { kind: 'nothing' }],
      ['peek', { kind: 'peeked', found, attempts: 1, age: 0, remaining: 1 }],
      ['clear', { kind: 'cleared' }],
    ];
    return cases.map(([kind, answer]) => {
      const counted = trust.count({ kind }, answer);
      return counted.kind === 'opened' && counted.isQuarantined ? 'evidence' : counted.kind;
    });
  };
  const usual = ['opened', 'opened', 'superseded', 'settled', 'nothing', 'peeked', 'cleared'];
  hear(1_000_000);
  expect(judged()).toEqual(usual);
  hear(2_000_000);
  const out = 'quarantined';
  expect(judged()).toEqual([out, 'evidence', 'superseded', out, out, out, 'cleared']);
  await clock.advance(MAX_TTL);
  expect(judged()).toEqual(usual);
});
