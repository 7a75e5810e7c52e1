import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock } from '../../../lib/engine/lock.js';
import type { LockOptions } from '../../../lib/engine/options.js';
import { machineTime } from '../record.js';
import { compute, computeFor, mourn } from './habits.js';
import { claimOf, type Surroundings } from './surroundings.js';

export interface Plan {
  readonly id: string;
  readonly resources: readonly string[];
  readonly options: LockOptions;
  /** Ms. */
  readonly hold: number;
  /** Whether the harness leads it: it ends when that says so, whatever the weather, and has no habits of its own. */
  readonly isOrdered?: boolean;
  /** Ms for which it blocks the event loop as soon as it has the lock; else it does so now and then. */
  readonly computes?: number;
  /** Called in the very turn in which the lock is given back, before or after. */
  readonly beside?: () => void;
}

const EXPECTED = ['RESOURCE_LOCKED', 'QUORUM_NOT_REACHED', 'AbortError'];

/** Asks for a lock, does its work, gives it back, and writes all of it down; answers whether it got the lock. */
export async function runSection(context: Surroundings, plan: Plan): Promise<boolean> {
  const { id, resources } = plan;
  context.journal.write({ what: 'asked', id, at: machineTime(), resources });
  let lock: Lock;
  try {
    lock = await context.service.acquire(resources.length === 1 ? resources[0]! : resources, plan.options);
  } catch (error) {
    fail(context, id, error);
    return false;
  }
  const claim = claimOf(lock);
  const { fencingToken: token, value } = lock;
  context.journal.write({ what: 'acquired', id, ...claim, token, value, slots: slotsOf(plan, lock) });
  const holder = { id, lock };
  context.holds(id, lock, () => {
    if (!plan.isOrdered) mourn(context, holder, () => runSection(context, againOf(context, plan)));
  });
  if (plan.isOrdered) context.say({ say: 'acquired', id });
  else if (plan.computes !== undefined) computeFor(context, holder, plan.computes);
  else compute(context, holder, 'taken');
  await work(context, plan, lock);
  if (!plan.isOrdered) compute(context, holder, 'release');
  context.gaveBack(id);
  context.journal.write({ what: 'released', id, at: machineTime() });
  const isFirst = context.dice.chance(0.5);
  if (isFirst) plan.beside?.();
  const released = lock.release();
  if (!isFirst) plan.beside?.();
  await released;
  return true;
}

/** Undefined for an ordinary lock. */
function slotsOf({ options: { limit, take } }: Plan, { slot }: Lock): number[] | undefined {
  if (limit === undefined) return undefined;
  return take === 'all' ? Array.from({ length: limit }, (_, index) => index) : [slot!];
}

function againOf(context: Surroundings, { resources, options, hold }: Plan): Plan {
  return { id: context.newId(), resources, options, hold };
}

function fail({ journal }: Surroundings, id: string, error: unknown): void {
  const { code, name, message } = error as Error & { code?: unknown };
  const known = typeof code === 'string' ? code : name;
  journal.write({ what: 'failed', id, at: machineTime(), code: known });
  if (!EXPECTED.includes(known)) journal.write({ what: 'trouble', at: machineTime(), reason: `${name}: ${message}` });
}

/** Read, stay, write: on the plain counter and on the fenced one. */
async function work(context: Surroundings, plan: Plan, lock: Lock): Promise<void> {
  const { id, resources, hold, isOrdered } = plan;
  // Each slot has tokens of its own.
  const [slot] = slotsOf(plan, lock) ?? [];
  const resource = slot === undefined ? resources[0]! : `${resources[0]}~${slot}`;
  const about = { id, resource, token: lock.fencingToken };
  const read = await context.ask({ verb: 'read', ...about, plain: 0, fenced: 0 });
  const signals = isOrdered ? [lock.signal] : [lock.signal, context.shift];
  // A section that was asked for in bad weather and is served in the calm is as short as all others are then.
  const stay = isOrdered || context.mode === 'go' ? hold : 0;
  await sleep(stay, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  if (!lock.isValid) return;
  await context.ask({ verb: 'write', ...about, plain: read.plain + 1, fenced: read.fenced + 1 });
}
