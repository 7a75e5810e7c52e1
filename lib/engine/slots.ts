import { type Call, Caller, isPart, type Part, take } from './caller.js';
import type { Denied } from './denied.js';
import type { LocalQueues } from './local-queues.js';
import { mistake } from './codes.js';
import type { PreparedOptions } from './options.js';

/*
 * At most `limit` holders at once: the resource has so many slots, each of which is an ordinary lock under a name of its own. Each slot has a
 * quorum, a lease and fencing tokens, so there are never more than `limit` holders. Counters on each node would be unsafe: if requests reach nodes in
 * different orders, more than `limit` callers may get a quorum.
 */

/** @throws TypeError for a limit on several resources */
export function checkSlots(resources: readonly string[], { limit }: Pick<PreparedOptions, 'limit'>): void {
  if (limit === undefined || resources.length === 1) return;
  throw mistake('REDLOCK_E04', `limit is for a lock on one resource; got ${resources.length}`);
}

/**
 * Takes one slot: tries one that nobody in this process wants, and then those that no other process has. If all are held, the call waits in the
 * queues of all slots with one arrival. So the first slot that is released goes to the caller that came first.
 * @throws the reason of an abort
 */
export async function takeSlot(queues: LocalQueues, call: Call, slots: readonly string[]): Promise<Part | Denied> {
  let isFirst = true;
  for (let left = slots; left.length > 0; isFirst = false) {
    const slot = someOf(queues, left);
    const taken = await take(queues, slot, call, 'look');
    if (isPart(taken)) return taken;
    if (taken.kind !== 'contended') return call.isPatient ? takeFirst(queues, slots, call) : taken;
    const others = left.filter((name) => name !== slot);
    left = isFirst ? await freeOf(queues, others, call) : others;
  }
  call.contended();
  return takeFirst(queues, slots, call);
}

/** Returns one of the slots, at random among those that nobody in this process wants. */
function someOf(queues: LocalQueues, slots: readonly string[]): string {
  const unwanted = slots.filter((slot) => !queues.has(slot));
  const some = unwanted.length > 0 ? unwanted : slots;
  return some[Math.floor(queues.pool.random.fraction() * some.length)]!;
}

/** Returns the slots that a quorum of the nodes calls free, in one round trip. */
async function freeOf({ pool }: LocalQueues, slots: readonly string[], { options }: Call): Promise<readonly string[]> {
  const isFree = (resource: string): Promise<boolean> =>
    new Promise((resolve) => {
      let free = 0;
      let left = pool.nodes.length;
      pool.ask({
        timeout: pool.timeoutFor(options.ttl),
        // Nobody has this value, so that nothing is extended: a node only says whether it has another one.
        operation: () => ({ kind: 'extend', resource, value: '-', ttl: 1 }),
        heard: (_node, { kind }) => {
          left -= 1;
          if (kind === 'missing') free += 1;
          if (free >= pool.quorum || free + left < pool.quorum) resolve(free >= pool.quorum);
        },
      });
    });
  const areFree = await Promise.all(slots.map(isFree));
  return slots.filter((_slot, index) => areFree[index]);
}

/** Asks for all of these slots at once, takes the one that comes first, and gives up the others. */
function takeFirst(queues: LocalQueues, slots: readonly string[], call: Call): Promise<Part | Denied> {
  return new Promise((resolve, reject) => {
    call.throwIfAborted();
    const callers = slots.map((slot) => new Caller(queues, slot, call, call.manner));
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
