import { beforeEach, describe, expect, it } from '@jest/globals';
import { Agenda } from '../../../lib/core/agenda.js';
import { CallerContest } from '../../../lib/core/caller-contest.js';
import { Claim } from '../../../lib/core/claim.js';
import type { Victory } from '../../../lib/core/contention.js';
import type { LockEvent } from '../../../lib/core/events.js';
import { DEFAULT_LOCK_OPTIONS } from '../../../lib/core/options.js';
import { Patience } from '../../../lib/core/patience.js';
import { Stop } from '../../../lib/core/stop.js';
import { Validity } from '../../../lib/core/validity.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('CallerContest', () => {
  let events: LockEvent[];
  let call: CallerContest;

  let clock: VirtualClock;
  let hear: (event: LockEvent) => void;

  beforeEach(() => {
    events = [];
    hear = (event) => events.push(event);
    clock = new VirtualClock();
    const patience = new Patience({ clock, agenda: new Agenda(clock) }, DEFAULT_LOCK_OPTIONS, new Stop());
    const contest = { resources: ['a'], terms: DEFAULT_LOCK_OPTIONS, patience };
    call = new CallerContest(contest, (event) => hear(event));
  });

  it('tells once that somebody else has what is wanted', () => {
    call.onLost({ kind: 'contended' });
    call.onLost({ kind: 'contended' });
    expect(events).toEqual([{ type: 'contended', resources: ['a'] }]);
  });

  const won = (): Victory => {
    const claim = new Claim(['a'], 'value');
    return { kind: 'won', claim, validity: new Validity(clock.now(), 100), attempts: 2 };
  };

  it('tells that it is ours, and for how long it waited', () => {
    clock.block(30);
    expect(call.begin(won(), clock.now(), clock)).toBe(true);
    expect(events).toEqual([{ type: 'acquired', resources: ['a'], waited: 30, attempts: 2 }]);
  });

  it('tells that it is lost again where a program that hears of it computes for as long as the lease lasts', () => {
    hear = (event) => {
      events.push(event);
      if (event.type === 'acquired') clock.block(100);
    };
    expect(call.begin(won(), clock.now(), clock)).toBe(false);
    expect(events).toMatchObject([{ type: 'acquired' }, { type: 'lost', error: { code: 'LOCK_LOST' } }]);
  });

  it('does not where nobody is known to have it', () => {
    call.onLost({ kind: 'unavailable' });
    call.onLost({ kind: 'quarantined' });
    expect(events).toEqual([]);
  });
});
