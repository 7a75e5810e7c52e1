import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clocks } from '../../../support/node-clocks.js';

const HOUR = 3_600_000;

describe('NodeClock knows what time the node has', () => {
  let clocks: Clocks;
  beforeEach(() => void (clocks = new Clocks()));

  it('once it has answered, and not before', () => {
    expect(clocks.error).toBeUndefined();
    clocks.ask();
    expect(clocks.error).toBeLessThan(1);
  });

  it.each([
    ['question', { there: 400 }],
    ['answer', { back: 400 }],
  ])('by the quickest answers, and not less well after a slow %s', (_, way) => {
    clocks.ask(way);
    expect(clocks.error).toBeLessThanOrEqual(201);
    clocks.ask();
    clocks.ask(way);
    expect([clocks.error! < 4, clocks.isWithin]).toEqual([true, true]);
  });

  it.each([-HOUR, -900, 900, HOUR])('where our own wall clock was set by %i ms', (step) => {
    clocks.ask();
    clocks.wall += step;
    expect(clocks.error).toBeLessThan(1);
    clocks.ask();
    expect(clocks.error).toBeLessThan(1);
  });

  it.each([-900, -20, 20, 900])('with the next answer where its clock was set by %i ms', (step) => {
    clocks.ask();
    clocks.node += step;
    clocks.ask();
    expect(clocks.error).toBeLessThan(1);
  });

  it('with the next answer after a long time in which nothing was asked', () => {
    clocks.ask();
    clocks.pass(HOUR, { node: HOUR * 1.003 });
    clocks.ask();
    expect(clocks.error).toBeLessThan(1);
  });
});
