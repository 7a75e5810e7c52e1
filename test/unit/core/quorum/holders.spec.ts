import { beforeEach, describe, expect, it } from '@jest/globals';
import { LockLostError, ResourceLockedError } from '../../../../lib/core/api/errors.js';
import type { LockNode } from '../../../../lib/core/port/lock-node.js';
import type { NoteListener } from '../../../../lib/core/port/process-note.js';
import { Holders } from '../../../../lib/core/quorum/holders.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const NOTE = { host: 'web-1', pid: 17, application: 'orders', version: '0.1.0', since: '2026-11-24T21:00:00.000Z' };
const OTHER = { ...NOTE, host: 'web-2' };

describe('Holders', () => {
  let clock: VirtualClock;
  let holders: Holders;
  /** What was asked, in order: of which node, about which mark. */
  let asked: { readonly node: number; readonly mark: string; readonly answer: NoteListener }[];
  const holdersOf = (self?: { readonly holder: string; readonly process: typeof NOTE }): Holders => {
    const nodes = [0, 1, 2].map((node) => ({
      noteOf: (mark: string, answer: NoteListener) => void asked.push({ node, mark, answer }),
    }));
    return new Holders({ clock, nodes: nodes as unknown as LockNode[] }, self);
  };
  /** Lets all nodes answer what they were asked so far. */
  const answerAll = (note?: typeof NOTE): void => asked.splice(0).forEach(({ answer }) => answer(note));

  beforeEach(() => {
    clock = new VirtualClock();
    asked = [];
    holders = holdersOf();
  });

  it('identifies the holder by its mark, and has more once a node has answered', () => {
    const holder = holders.find('mark-1');
    expect(holder).toStrictEqual({ holder: 'mark-1' });
    expect(asked.map(({ node, mark }) => `${node} ${mark}`)).toEqual(['0 mark-1', '1 mark-1', '2 mark-1']);
    asked[2]!.answer(NOTE);
    expect(holder).toStrictEqual({ holder: 'mark-1', process: NOTE });
    asked[0]!.answer(OTHER);
    asked[1]!.answer(undefined);
    expect(holders.find('mark-1').process).toBe(NOTE);
    expect(asked).toHaveLength(3);
    expect(clock.timers).toBe(0);
  });

  it('asks once for any number of calls, before the answer and after it', () => {
    for (let call = 0; call < 1_000; call += 1) holders.find('mark-1');
    expect(asked).toHaveLength(3);
    answerAll(NOTE);
    for (let call = 0; call < 1_000; call += 1) expect(holders.find('mark-1').process).toBe(NOTE);
    expect(asked).toHaveLength(0);
  });

  it('does not ask again while one of the nodes has not answered', async () => {
    holders.find('mark-1');
    for (const { answer } of asked.slice(1)) answer(undefined);
    await clock.advance(60_000);
    holders.find('mark-1');
    expect(asked).toHaveLength(3);
  });

  it('remembers for five seconds that there is no note, and asks again when it is wanted after that', async () => {
    const holder = holders.find('mark-1');
    answerAll();
    await clock.advance(4_999);
    holders.find('mark-1');
    expect(asked).toHaveLength(0);
    await clock.advance(1);
    expect(asked).toHaveLength(0);
    holders.find('mark-1');
    answerAll(NOTE);
    expect(holder.process).toBe(NOTE);
  });

  it('knows the latest thousand processes', () => {
    for (let process = 0; process < 1_001; process += 1) holders.find(`mark-${process}`);
    answerAll(NOTE);
    holders.find('mark-1');
    holders.find('mark-1000');
    expect(asked).toHaveLength(0);
    holders.find('mark-0');
    expect(asked).toHaveLength(3);
  });

  it('asks no node about its own process', () => {
    const self = { holder: 'mark-1', process: NOTE };
    expect(holdersOf(self).find('mark-1')).toBe(self);
    expect(asked).toHaveLength(0);
  });

  describe('of an error', () => {
    const lockedBy = (holder?: string): ResourceLockedError => {
      const error = new ResourceLockedError(['a'], 1, []);
      if (holder === undefined) return error;
      return Object.defineProperty(error, 'cause', { value: { holder }, configurable: true, writable: true });
    };

    it('makes what it finds out the cause, as a property that is not enumerable', () => {
      const error = lockedBy('mark-1');
      const holder = holders.nameIn(error);
      answerAll(NOTE);
      expect(error.cause).toBe(holder);
      expect(error.cause).toEqual({ holder: 'mark-1', process: NOTE });
      expect(Object.keys(error)).not.toContain('cause');
    });

    it('leaves all others alone', () => {
      const lost = new LockLostError(['a'], 'nodes', 'it was taken');
      for (const error of [lockedBy(), lost, new Error('of the program'), undefined]) {
        expect(holders.nameIn(error)).toBeUndefined();
      }
      expect(asked).toHaveLength(0);
    });
  });
});
