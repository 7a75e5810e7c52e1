import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Candidate } from '../../../lib/leader/candidate.js';
import type { HeldTerm, StopWork, Term } from '../../../lib/leader/term.js';
import { block } from '../../support/block.js';
import { machineTime, ROLE } from '../record.js';
import { claimOf, type Surroundings } from './surroundings.js';

/** How often a leader blocks the event loop, fails at once, resigns after a while, or cleans up for longer than its lease. */
const SHARES = { blocks: 0.5, fails: 0.05, resigns: 0.8, cleansLong: 0.2 } as const;
/** In ttl: no clean-up takes that long, so that the role never passes on before its end. */
const STOP_TIMEOUT = 10;

/** Campaigns for the role until it is told to rest, and writes down every term. */
export async function campaign(context: Surroundings): Promise<void> {
  const { service, terms, work: signal } = context;
  if (signal.aborted) return;
  const options = { ttl: terms.ttl, stopTimeout: STOP_TIMEOUT * terms.ttl };
  const candidate: Candidate = service.lead(ROLE, (term) => serve(context, candidate, term), options);
  await once(signal, 'abort');
  await candidate.close();
}

function serve(context: Surroundings, candidate: Candidate, term: Term): StopWork {
  const { dice, journal } = context;
  const id = context.newId();
  // A term does not tell how long it may be claimed; its lock does.
  const { lock } = term as HeldTerm;
  journal.write({ what: 'elected', id, ...claimOf(lock), token: term.number, resource: lock.resources[0]! });
  context.holds(id, lock, () => undefined);
  void term.ended.then((reason) => journal.write({ what: 'ended', id, at: machineTime(), token: term.number, reason }));
  const over = (): void => {
    context.gaveBack(id);
    journal.write({ what: 'released', id, at: machineTime() });
  };
  if (context.mode === 'go' && dice.chance(SHARES.fails)) {
    over();
    throw new Error('the work failed');
  }
  context.aside(reign(context, { id, candidate, term }));
  return () => cleanUp(context).finally(over);
}

interface Reign {
  readonly id: string;
  readonly candidate: Candidate;
  readonly term: Term;
}

/** What a leader does beside its work, which has to end before a call of `resign` does. */
async function reign(context: Surroundings, { id, candidate, term }: Reign): Promise<void> {
  const { dice, journal, terms } = context;
  const signal = AbortSignal.any([term.signal, context.shift]);
  await sleep(dice.between(0, terms.ttl), undefined, { signal }).catch(() => undefined);
  if (context.mode === 'go' && !term.signal.aborted && dice.chance(SHARES.blocks)) {
    block(dice.between(terms.ttl / 2, 1.5 * terms.ttl));
    const at = machineTime();
    const left = candidate.isLeader ? 1 : 0;
    journal.write({ what: 'looked', id, at, left, aborted: term.signal.aborted });
  }
  if (context.mode === 'go' && dice.chance(SHARES.resigns)) await term.resign();
}

async function cleanUp({ mode, dice, terms: { ttl }, shift: signal }: Surroundings): Promise<void> {
  if (mode !== 'go') return;
  const ms = dice.between(0, dice.chance(SHARES.cleansLong) ? 1.5 * ttl : ttl / 4);
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
