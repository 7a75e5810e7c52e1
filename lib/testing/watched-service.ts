import type { Clock } from '../engine/clock.js';
import type { Lock } from '../engine/lock.js';
import type { LockNode } from '../engine/lock-node.js';
import type { LockOptions } from '../engine/options.js';
import { LEADER } from '../engine/resources.js';
import type { Candidate, LeadOptions } from '../leader/candidate.js';
import { HeldTerm, type LeaderWork } from '../leader/term.js';
import { RedlockService } from '../redlock.service.js';
import type { PoolOptions } from './redlock-testing.options.js';

interface Surroundings {
  readonly clock: Clock;
  /** Called whenever a caller begins to wait or no longer waits. */
  readonly onWaiting: () => void;
  /** The name of the pool. */
  readonly name?: string | undefined;
}

type Resource = string | readonly string[];

/** A service that shows a test how many callers wait, and the locks that the test can take away. */
export class WatchedService extends RedlockService {
  readonly #waiting = new Map<string, number>();
  /** The latest lock on each resource and each slot, the latest one last; it may have ended. */
  readonly #locks = new Map<string, Lock>();
  readonly #candidates = new Map<string, Candidate>();
  readonly #onWaiting: () => void;

  constructor(nodes: readonly LockNode[], options: PoolOptions, { clock, onWaiting, name }: Surroundings) {
    super(nodes, options, { clock, ...(name !== undefined && { name }) });
    this.#onWaiting = onWaiting;
  }

  override async acquire(resource: Resource, options?: LockOptions): Promise<Lock> {
    const asking = this.#ask(resource);
    try {
      return asking.given(await super.acquire(resource, options));
    } finally {
      asking.end();
    }
  }

  override async tryAcquire(resource: Resource, options?: LockOptions): Promise<Lock | null> {
    const lock = await super.tryAcquire(resource, options);
    return lock && this.#note(lock);
  }

  override async withLock<T>(
    resource: Resource,
    work: (lock: Lock) => T | Promise<T>,
    options?: LockOptions,
  ): Promise<T> {
    if (typeof work !== 'function') return super.withLock(resource, work, options);
    const asking = this.#ask(resource);
    try {
      return await super.withLock(resource, (lock) => work(asking.given(lock)), options);
    } finally {
      asking.end();
    }
  }

  override lead(name: string, work: LeaderWork, options?: LeadOptions): Candidate {
    const candidate = super.lead(name, work, options);
    this.#candidates.set(name, candidate);
    const complete = (): void => {
      this.#candidates.delete(name);
      this.#onWaiting();
    };
    candidate.leader$.subscribe({ next: () => this.#onWaiting(), complete });
    return candidate;
  }

  /** The roles for which this service is a candidate. */
  get roles(): string[] {
    return [...this.#candidates.keys()];
  }

  /** Returns how many callers have asked for a resource and do not have it yet. A candidate waits for its role. */
  waiting(resource: string): number {
    const candidate = this.#candidateFor(resource);
    return this.#callers(resource) + (candidate === undefined || candidate.isLeader ? 0 : 1);
  }

  /** Returns the valid lock of this service on a resource, or the latest one on a slot of it. */
  lockOn(resource: string): Lock | undefined {
    const term = this.#candidateFor(resource)?.term;
    if (term instanceof HeldTerm) return term.lock;
    const lock = this.#locks.get(resource);
    if (lock?.isValid) return lock;
    const slots = [...this.#locks.values()].filter(
      ({ slot, resources }) => slot !== undefined && resources[0] === resource,
    );
    return slots.findLast(({ isValid }) => isValid);
  }

  #candidateFor(resource: string): Candidate | undefined {
    return resource.startsWith(LEADER) ? this.#candidates.get(resource.slice(LEADER.length)) : undefined;
  }

  #callers(resource: string): number {
    return this.#waiting.get(resource) ?? 0;
  }

  /** Counts a caller as waiting until it is given the lock, or gives up. */
  #ask(resource: Resource): { readonly given: (lock: Lock) => Lock; readonly end: () => void } {
    const resources = [resource].flat();
    this.#count(resources, 1);
    let waits = true;
    const end = (): void => {
      if (waits) this.#count(resources, -1);
      waits = false;
    };
    const given = (lock: Lock): Lock => {
      end();
      return this.#note(lock);
    };
    return { given, end };
  }

  #count(resources: readonly string[], change: number): void {
    for (const resource of resources) {
      const count = this.#callers(resource) + change;
      if (count > 0) this.#waiting.set(resource, count);
      else this.#waiting.delete(resource);
    }
    this.#onWaiting();
  }

  #note(lock: Lock): Lock {
    for (const resource of lock.resources) {
      const name = lock.slot === undefined ? resource : `${resource}~${lock.slot}`;
      this.#locks.delete(name);
      this.#locks.set(name, lock);
    }
    return lock;
  }
}
