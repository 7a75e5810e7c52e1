import { beforeEach, describe, expect, it } from '@jest/globals';
import { STALEMATE_GRACE } from '../../../../../lib/core/acquire/line/stalemate.js';
import { Stalemate } from '../../../../../lib/core/acquire/line/stalemate.js';
import type { AcquireAnswer, Unknown } from '../../../../../lib/core/port/lock-node.js';
import type { Denied } from '../../../../../lib/core/quorum/outcome/outcome.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const TTL = 10_000;
/** Ms from the end of one round to that of the next. */
const PAUSE = 100;
const HELD: Denied = { kind: 'contended', nodes: [], retryAfter: TTL, rivals: [] };
const SPLIT: Denied = { ...HELD, rivals: ['x', 'y'] };
const SILENT: Unknown = { kind: 'unknown', reason: 'silent', sent: true };

type Say = () => AcquireAnswer | Unknown;

describe('insisting on votes that are split', () => {
  let clock: VirtualClock;
  let fraction: number;
  let stalemate: Stalemate;
  const now = (): number => clock.now().monotonic;
  const ours: Say = () => ({ kind: 'granted', fence: 1 });
  const silent: Say = () => SILENT;
  const alive =
    (owner: string): Say =>
    () => ({ kind: 'held', owner, remaining: TTL });
  const dead = (owner: string): Say => {
    const end = now() + TTL;
    return () => ({ kind: 'held', owner, remaining: end - now() });
  };
  /** Asks in every third round only. */
  const seldom = (owner: string, first: number): Say => {
    let [rounds, end] = [first, now() + TTL];
    return () => {
      rounds += 1;
      if (rounds % 3 === 0) end = now() + TTL;
      return { kind: 'held', owner, remaining: end - now() };
    };
  };
  /** Whether it ends after one more round, by the end of which some nodes have not answered. */
  const round = (says: readonly (Say | undefined)[], outcome = SPLIT): boolean => {
    clock.block(PAUSE);
    says.forEach((say, nodeIndex) => say && stalemate.heard(nodeIndex, say(), clock.now()));
    return stalemate.endsAfter(outcome);
  };
  /** The first of many rounds after which it ends; -1 where it does not. */
  const endsIn = (says: readonly (Say | undefined)[], rounds = 50): number =>
    Array.from({ length: rounds }, () => round(says)).indexOf(true) + 1 || -1;
  const pastGrace = (says: readonly Say[]): void => {
    for (let passed = 0; passed <= STALEMATE_GRACE + PAUSE; passed += PAUSE) round(says);
  };
  beforeEach(() => {
    clock = new VirtualClock();
    fraction = 0.4;
    stalemate = new Stalemate({ clock, random: { value: () => 'mine', fraction: () => fraction }, nodes: Array(5) });
  });

  it('ends where others renew their votes once the grace of one that has died has passed', () => {
    expect(endsIn([ours, ours, alive('x'), alive('x'), alive('y')])).toBe(STALEMATE_GRACE / PAUSE + 3);
  });

  it('lasts as long as the votes of one that has died, where nobody can have a quorum without them', () => {
    expect(endsIn([ours, ours, dead('x'), dead('x'), silent], TTL / PAUSE - 1)).toBe(-1);
    expect(endsIn([ours, alive('u'), dead('v'), dead('w'), silent], TTL / PAUSE - 1)).toBe(-1);
  });

  it('ends where the living have a quorum without one that has died', () => {
    expect(endsIn([ours, ours, dead('x'), dead('x'), alive('y')])).toBe(STALEMATE_GRACE / PAUSE + 3);
  });

  it('lasts for ever where what is in the way never ends', () => {
    const foreign: Say = () => ({ kind: 'held', owner: 'x', remaining: Infinity });
    expect(endsIn([ours, ours, foreign, foreign, silent])).toBe(-1);
  });

  it('ends where one that did not vote for a while did so again', () => {
    const quarantined: Say = () => ({ kind: 'quarantined', remaining: 50 });
    const split = [ours, ours, dead('x'), dead('x')];
    expect(endsIn([...split, quarantined])).toBe(-1);
    expect(endsIn([...split, ours])).toBe(1);
  });

  it('takes no rival for alive because it was alive before the votes were split, or for some time after that', () => {
    round([ours, ours, alive('x'), alive('x'), silent]);
    const split = [ours, ours, dead('x'), dead('x'), silent];
    expect(endsIn(split)).toBe(-1);
  });

  it('takes rivals for alive that ask less often than we do', () => {
    expect(endsIn([ours, seldom('x', 0), seldom('y', 1), dead('z'), silent])).toBeGreaterThan(0);
  });

  it('takes a rival for alive until another one has its vote', () => {
    const y = dead('y');
    expect(endsIn([ours, ours, alive('x'), y, silent])).toBeGreaterThan(0);
    expect(endsIn([ours, ours, dead('z'), y, silent])).toBe(-1);
  });

  it('takes no slow answer for a sign of life', () => {
    const x = dead('x');
    pastGrace([ours, ours, x, x, silent]);
    const [asked, says] = [clock.now(), x()];
    clock.block(1_000);
    stalemate.heard(2, says, asked);
    stalemate.heard(3, says, asked);
    expect(stalemate.endsAfter(SPLIT)).toBe(false);
  });

  it('remembers which rival has which vote when a round is lost before all nodes have answered', () => {
    const [x, y] = [dead('x'), alive('y')];
    pastGrace([ours, ours, x, x, silent]);
    expect(endsIn([undefined, ours, x, x, y])).toBeGreaterThan(0);
    expect(endsIn([ours, ours, undefined, x, silent])).toBe(-1);
  });

  it('begins when they are split, however long a rival held the resource before that', () => {
    const split = [ours, ours, alive('x'), alive('x'), alive('y')];
    for (let passed = 0; passed <= 2 * STALEMATE_GRACE; passed += PAUSE) round(split, HELD);
    expect(endsIn(split)).toBe(STALEMATE_GRACE / PAUSE + 3);
  });

  it('begins again when a rival had the resource in between', () => {
    const split = [ours, ours, alive('x'), alive('x'), alive('y')];
    pastGrace(split);
    round(split, HELD);
    expect(endsIn(split)).toBe(STALEMATE_GRACE / PAUSE + 3);
  });

  it('does not end for all at once', () => {
    const split = [ours, ours, alive('x'), alive('x'), alive('y')];
    fraction = 0.5;
    expect(endsIn(split)).toBe(-1);
    fraction = 0.49;
    expect(endsIn(split)).toBe(1);
  });
});
