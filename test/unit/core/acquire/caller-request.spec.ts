import { beforeEach, describe, expect, it } from '@jest/globals';
import { TimerQueue } from '../../../../lib/core/time/timer-queue.js';
import { CallerRequest } from '../../../../lib/core/acquire/caller-request.js';
import { OwnClaim } from '../../../../lib/core/quorum/own-claim.js';
import type { Acquired } from '../../../../lib/core/acquire/request.js';
import type { LockEvent } from '../../../../lib/core/api/events.js';
import { DEFAULT_LOCK_OPTIONS } from '../../../../lib/core/api/options.js';
import { WaitBudget } from '../../../../lib/core/quorum/outcome/wait-budget.js';
import { AbortSource } from '../../../../lib/core/time/abort.js';
import { Validity } from '../../../../lib/core/time/validity.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('CallerRequest', () => {
  let events: LockEvent[];
  let call: CallerRequest;
  /** The marks of the processes that it asks about. */
  let found: string[];

  let clock: VirtualClock;
  let hear: (event: LockEvent) => void;

  beforeEach(() => {
    events = [];
    hear = (event) => events.push(event);
    clock = new VirtualClock();
    const budget = new WaitBudget(
      { clock, timerQueue: new TimerQueue(clock), quorumMissingSince: undefined },
      DEFAULT_LOCK_OPTIONS,
      new AbortSource(),
    );
    const request = { resources: ['a'], terms: DEFAULT_LOCK_OPTIONS, budget, start: clock.now() };
    found = [];
    const find = (holder: string) => (found.push(holder), { holder });
    call = new CallerRequest(request, (event) => hear(event), { find });
  });

  it('tells once that another claim has the resource', () => {
    call.report({ kind: 'contended' });
    call.report({ kind: 'contended' });
    expect(events).toEqual([{ type: 'contended', resources: ['a'] }]);
  });

  it('looks up the holder each time that it is told of one', () => {
    call.report({ kind: 'contended', holder: 'mark-1' });
    call.report({ kind: 'contended', holder: 'mark-2' });
    call.report({ kind: 'contended' });
    call.report({ kind: 'unavailable' });
    expect(found).toEqual(['mark-1', 'mark-2']);
  });

  const won = (): Acquired => {
    const claim = new OwnClaim(['a'], 'value');
    return { kind: 'won', claim, validity: new Validity(clock.now(), 100), attempts: 2 };
  };

  it('tells that it is ours, and for how long it waited', () => {
    clock.block(30);
    const lock = won();
    call.acquired(lock, clock.now());
    expect(call.begin(lock, clock.now())).toBe(lock);
    expect(events).toMatchObject([{ type: 'acquired', resources: ['a'], waited: 30, attempts: 2, path: 'free' }]);
  });

  it('tells that the lock is lost again when a listener computes for as long as the lease lasts', () => {
    hear = (event) => {
      events.push(event);
      if (event.type === 'acquired') clock.block(100);
    };
    const lock = won();
    call.acquired(lock, clock.now());
    expect(call.begin(lock, clock.now())).toBeUndefined();
    expect(events).toMatchObject([{ type: 'acquired' }, { type: 'lost', error: { code: 'LOCK_LOST' } }]);
  });

  it('tells of no contention when no holder is known', () => {
    call.report({ kind: 'unavailable' });
    call.report({ kind: 'quarantined' });
    expect(events).toEqual([]);
  });
});
