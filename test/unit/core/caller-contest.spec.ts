import { beforeEach, describe, expect, it } from '@jest/globals';
import { Agenda } from '../../../lib/core/agenda.js';
import { CallerContest } from '../../../lib/core/caller-contest.js';
import type { LockEvent } from '../../../lib/core/events.js';
import { DEFAULT_LOCK_OPTIONS } from '../../../lib/core/options.js';
import { Patience } from '../../../lib/core/patience.js';
import { Stop } from '../../../lib/core/stop.js';
import { VirtualClock } from '../../support/virtual-clock.js';

describe('CallerContest', () => {
  let events: LockEvent[];
  let call: CallerContest;

  beforeEach(() => {
    events = [];
    const clock = new VirtualClock();
    const patience = new Patience({ clock, agenda: new Agenda(clock) }, DEFAULT_LOCK_OPTIONS, new Stop());
    const contest = { resources: ['a'], terms: DEFAULT_LOCK_OPTIONS, patience };
    call = new CallerContest(contest, (event) => events.push(event));
  });

  it('tells once that somebody else has what is wanted', () => {
    call.onLost({ kind: 'contended' });
    call.onLost({ kind: 'contended' });
    expect(events).toEqual([{ type: 'contended', resources: ['a'] }]);
  });

  it('does not where nobody is known to have it', () => {
    call.onLost({ kind: 'unavailable' });
    call.onLost({ kind: 'quarantined' });
    expect(events).toEqual([]);
  });
});
