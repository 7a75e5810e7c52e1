import { type Call, Caller, isPart, type Part, take } from './caller.js';
import type { Denied } from './denied.js';
import type { LocalQueues } from './local-queues.js';
import { mistake } from './codes.js';
import type { PreparedOptions } from './options.js';

/*
 * At most `limit` holders at once: the resource has so many slots, each of which is an ordinary lock under a name of its own. So each has the votes of
 * a quorum, a lease and fencing tokens, and there is never a holder too many. Counters on each node do not do: nodes that hear callers in different
 * orders admit different ones, so that more than `limit` may have a quorum.
 */

/** @throws TypeError for a limit on several resources */
export function checkSlots(resources: readonly string[], { limit }: Pick<PreparedOptions, 'limit'>): void {
  if (limit === undefined || resources.length === 1) return;
  throw mistake('REDLOCK_E04', `limit is for a lock on one resource; got ${resources.length}`);
}

/**
 * Takes one slot: asks for a random one, and then waits in the queues of all slots with one arrival. So the first slot that is released goes to the
 * caller that came first.
 * @throws the reason of an abort
 */
export async function takeSlot(queues: LocalQueues, call: Call, slots: readonly string[]): Promise<Part | Denied> {
  const first = slots[Math.floor(queues.pool.random.fraction() * slots.length)]!;
  const taken = await take(queues, first, call, true);
  if (isPart(taken)) return taken;
  if (call.isPatient) return takeFirst(queues, slots, call);
  const others = slots.filter((slot) => slot !== first);
  return others.length === 0 || taken.kind !== 'contended' ? taken : takeFirst(queues, others, call);
}

/** Asks for all of these slots at once, takes the one that comes first, and gives up the others. */
function takeFirst(queues: LocalQueues, slots: readonly string[], call: Call): Promise<Part | Denied> {
  return new Promise((resolve, reject) => {
    call.throwIfAborted();
    const callers = slots.map((slot) => new Caller(queues, slot, call, !call.isPatient));
    const denials: Denied[] = [];
    const waiting = new Set(callers);
    const end = (settle: () => void): void => {
      for (const caller of waiting) caller.end();
      waiting.clear();
      settle();
    };
    const answered = (caller: Caller, taken: Part | Denied): void => {
      if (!waiting.delete(caller)) return;
      if (isPart(taken)) return end(() => resolve(taken));
      denials.push(taken);
      if (waiting.size === 0) resolve(worst(denials));
    };
    const failed = (reason: unknown): void => end(() => reject(reason));
    for (const caller of callers) if (waiting.has(caller)) caller.begin((taken) => answered(caller, taken), failed);
  });
}

/** Returns why no slot was to be had. If others hold slots, this is the reason, and the one that is free first counts. */
function worst(denials: readonly Denied[]): Denied {
  const contended = denials.filter((denied) => denied.kind === 'contended');
  return contended.sort((one, other) => one.retryAfter - other.retryAfter)[0] ?? denials[0]!;
}
