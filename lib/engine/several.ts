import type { PreparedOptions } from './options.js';
import { isPart, take, type Call, type Part } from './caller.js';
import { HeldLock, type LockOwner } from './held-lock.js';
import type { LocalQueues } from './local-queues.js';
import type { Denied } from './denied.js';

/** Nobody outside knows of the parts until the call has all of them. */
const SILENT: LockOwner = { emit: () => undefined, over: () => undefined };

/**
 * Takes a lease of each resource: all at once as single attempts. If a resource is denied, the call releases all leases that come later in sorted
 * order, and waits in the queue of that resource. Then the call tries again. All callers use the same order, so there is no deadlock.
 * @throws the reason of an abort
 */
export function takeSeveral(queues: LocalQueues, call: Call): Promise<Part[] | Denied> {
  const several = new Several(queues, call, call.resources);
  return several.until(async () => {
    const denied = await several.takeMissing('try');
    return denied && several.waitFor(denied);
  });
}

/**
 * Takes all slots of a resource. Whoever has the gate waits in the queues of all slots at once, and keeps what it gets: one caller at a time does so,
 * and the holders of single slots wait for nothing, so there is no deadlock.
 * @throws the reason of an abort
 */
export function takeAll(
  queues: LocalQueues,
  call: Call,
  { gate, slots }: { readonly gate: string; readonly slots: readonly string[] },
): Promise<Part[] | Denied> {
  const several = new Several(queues, call, [gate, ...slots], gate);
  return several.until(async () => {
    const denied = (await several.takeMissing(call.manner, [gate])) ?? (await several.takeMissing(call.manner));
    return denied?.why;
  });
}

/** A resource that a call does not have, and why. */
interface Missing {
  readonly resource: string;
  readonly why: Denied;
}

/** The resources of one call, and those of them that it has. */
class Several {
  /** By code units, which is the same order in every process. */
  readonly #resources: readonly string[];
  readonly #taken = new Map<string, HeldLock>();
  /** Why somebody else had a resource, the last time that the nodes said so. */
  #contended: Denied | undefined;
  #isAbandoned = false;

  constructor(
    private readonly queues: LocalQueues,
    private readonly call: Call,
    resources: readonly string[],
    /** Whoever loses it gives everything back: the next one with the gate waits for the others. */
    private readonly gate?: string,
  ) {
    this.#resources = [...resources].sort((one, other) => (one < other ? -1 : 1));
  }

  /** Repeats `work` until nothing is missing and all have one token, or until it returns why the call fails. */
  async until(work: () => Promise<Denied | undefined>): Promise<Part[] | Denied> {
    try {
      for (;;) {
        const failed = await work();
        if (failed !== undefined) return await this.#fail(failed);
        if (!this.#hasAll()) continue;
        if (!(await this.#agreed())) return await this.#fail({ kind: 'no token', nodes: [] });
        // In a turn of its own, as every lease is given: the callers of other resources may block the event loop before.
        await new Promise<void>((resolve) => this.queues.pool.clock.nextTurn(resolve));
        if (this.#hasAll()) return this.#locks.map((lock) => lock.dissolve()[0]!);
      }
    } catch (error) {
      this.#abandon();
      throw error;
    }
  }

  /** Asks for all that are missing, once or until it is their turn; returns the first one in order that was denied, and why. */
  async takeMissing(manner: Call['manner'], of = this.#resources): Promise<Missing | undefined> {
    // After a step of the wall clock and back, a lock that is over now would be valid again.
    await this.#giveBack([...this.#taken].flatMap(([resource, lock]) => (lock.isValid ? [] : [resource])));
    const missing = of.filter((resource) => !this.#taken.has(resource));
    const tries = await Promise.all(missing.map((resource) => this.#take(resource, manner)));
    const denied = tries.findIndex((tried) => !isPart(tried));
    return denied === -1 ? undefined : { resource: missing[denied]!, why: tries[denied] as Denied };
  }

  /** Keeps what it gets at once: another try may end the call before all have ended. */
  async #take(resource: string, manner: Call['manner']): Promise<Part | Denied> {
    const taken = await take(this.queues, resource, this.call, manner);
    if (isPart(taken)) this.#keep(resource, taken);
    return taken;
  }

  /** Releases the leases from this resource on, in sorted order. Then waits for the resource if the call waits. Returns why the call failed. */
  async waitFor({ resource, why }: Missing): Promise<Denied | undefined> {
    if (why.kind === 'contended') this.#contended = why;
    await this.#giveBack(this.#resources.slice(this.#resources.indexOf(resource)));
    if (!this.call.isPatient) return why;
    const taken = await this.#take(resource, 'wait');
    return isPart(taken) ? undefined : taken;
  }

  get #locks(): HeldLock[] {
    return this.#resources.flatMap((resource) => this.#taken.get(resource) ?? []);
  }

  #hasAll(): boolean {
    const locks = this.#locks;
    return locks.length === this.#resources.length && locks.every(({ isValid }) => isValid);
  }

  /** Raises the tokens of all to the greatest, since a lock has one. Returns whether a quorum confirms that for each. */
  async #agreed(): Promise<boolean> {
    const locks = this.#locks;
    const token = Math.max(...locks.map(({ fencingToken }) => fencingToken));
    const raised = await Promise.all(locks.map((lock) => lock.raise(token)));
    return raised.every(Boolean);
  }

  /** Gives everything back, and returns why the call failed. If the call times out before all nodes answer, the latest contention is the reason. */
  async #fail(denied: Denied): Promise<Denied> {
    void this.#giveBack();
    const isUndecided = denied.kind === 'unavailable' && denied.nodes.some(({ outcome }) => outcome === 'pending');
    return isUndecided ? (this.#contended ?? denied) : denied;
  }

  /** The call has ended by an error: it gives everything back, also what it gets from now on. */
  #abandon(): void {
    this.#isAbandoned = true;
    void this.#giveBack();
  }

  async #giveBack(resources = this.#resources): Promise<void> {
    const locks = resources.flatMap((resource) => this.#taken.get(resource) ?? []);
    for (const resource of resources) this.#taken.delete(resource);
    await Promise.all(locks.map((lock) => lock.release()));
  }

  #keep(resource: string, part: Part): void {
    const options: PreparedOptions = { ...this.call.options, autoExtend: true, maxHold: Infinity, minHold: 0 };
    const lock = new HeldLock(this.queues.pool, [resource], [part], { options, owner: SILENT });
    const hasNoGate = this.gate !== undefined && resource !== this.gate && this.#taken.get(this.gate)?.isValid !== true;
    if (this.#isAbandoned || hasNoGate) return void lock.release();
    this.#taken.set(resource, lock);
    if (resource === this.gate) lock.onLost(() => void this.#giveBack());
  }
}
