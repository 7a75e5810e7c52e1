import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock } from '../../../lib/core/lock.js';
import type { LockOptions } from '../../../lib/core/options.js';
import { machineTime } from '../record.js';
import type { Surroundings } from './surroundings.js';

export interface Plan {
  readonly id: string;
  readonly resources: readonly string[];
  readonly options: LockOptions;
  /** Ms. */
  readonly hold: number;
  /** Whether the section ends early when the weather changes. */
  readonly isOrdered?: boolean;
}

const EXPECTED = ['RESOURCE_LOCKED', 'QUORUM_NOT_REACHED', 'AbortError'];

/** Asks for a lock, does its work, gives it back, and writes all of it down; answers whether it got the lock. */
export async function runSection(around: Surroundings, plan: Plan): Promise<boolean> {
  const { id, resources } = plan;
  around.journal.write({ what: 'asked', id, at: machineTime(), resources });
  let lock: Lock;
  try {
    lock = await around.service.acquire(resources.length === 1 ? resources[0]! : resources, plan.options);
  } catch (error) {
    fail(around, id, error);
    return false;
  }
  // The time first: should the process stand still between the two, it claims too little instead of too much.
  const at = machineTime();
  const until = at + lock.validity;
  around.journal.write({ what: 'acquired', id, at, until, token: lock.fencingToken, value: lock.value });
  around.holds(id, lock);
  if (plan.isOrdered) around.say({ say: 'acquired', id });
  await work(around, plan, lock);
  around.gaveBack(id);
  around.journal.write({ what: 'released', id, at: machineTime() });
  await lock.release();
  return true;
}

function fail({ journal }: Surroundings, id: string, error: unknown): void {
  const { code, name, message } = error as Error & { code?: unknown };
  const known = typeof code === 'string' ? code : name;
  journal.write({ what: 'failed', id, at: machineTime(), code: known });
  if (!EXPECTED.includes(known)) journal.write({ what: 'trouble', at: machineTime(), reason: `${name}: ${message}` });
}

/** Read, stay, write: on the plain counter and on the fenced one. */
async function work(around: Surroundings, { id, resources, hold, isOrdered }: Plan, lock: Lock): Promise<void> {
  const resource = resources[0]!;
  const about = { id, resource, token: lock.fencingToken };
  const read = await around.ask({ verb: 'read', ...about, plain: 0, fenced: 0 });
  const signals = isOrdered ? [lock.signal] : [lock.signal, around.shift];
  // Whoever asked in bad weather and is served in the calm is as short as all others are then.
  const stay = isOrdered || around.mode === 'go' ? hold : 0;
  await sleep(stay, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
  if (!lock.isValid) return;
  await around.ask({ verb: 'write', ...about, plain: read.plain + 1, fenced: read.fenced + 1 });
}
