import { AsyncLocalStorage } from 'node:async_hooks';
import { LockLostError } from '../../core/api/errors.js';
import type { Lock } from '../../core/api/lock.js';
import { assertHeld } from './assert-held.js';
import { disconnected } from '../transport/client-connection.js';
import type { HandlerKind } from '../key/key-roots.js';
import type { LockPlan } from './lock-plan.js';
import { exceptionFor, type LockedRun } from './locked-run.js';
import { MethodWork } from './method-work.js';

export interface LockCallParts {
  readonly plan: LockPlan;
  readonly request: object;
  /** @default that of an HTTP request */
  readonly kind?: HandlerKind | undefined;
  /** The lock that the interceptor took for this call; undefined if the method has to take it. */
  readonly lock?: Lock | undefined;
  /** What the handler throws when the lock cannot be had, and what tells that the client has gone away. */
  readonly run: Pick<LockedRun, 'toException' | 'signal' | 'client'>;
}

/** One request on its way to a handler, as the interceptor and the wrapped method both see it. */
export class LockCall extends MethodWork {
  #entered = false;

  constructor(private readonly parts: LockCallParts) {
    super();
  }

  get request(): object {
    return this.parts.request;
  }

  get kind(): HandlerKind | undefined {
    return this.parts.kind;
  }

  /** The lock under which the method is to begin; undefined if it has to take one, also because the answer has ended without it. */
  get lock(): Lock | undefined {
    return this.state === 'over' ? undefined : this.parts.lock;
  }

  get run(): LockCallParts['run'] {
    const { run } = this.parts;
    // The client has its answer then, so the method waits for no client.
    return this.state === 'over' ? { toException: run.toException } : run;
  }

  /** Returns true as long as Nest has not yet called the method with this plan. */
  isFor(plan: LockPlan): boolean {
    return plan === this.parts.plan && !this.#entered;
  }

  /** Returns true once, for the call by Nest. When the method itself calls locked methods, they take locks of their own. */
  enter(plan: LockPlan): boolean {
    const first = this.isFor(plan);
    this.#entered ||= first;
    return first;
  }

  /**
   * Runs the method under the lock of this call, unless nobody waits for the result any more: then the lock is being given back.
   * @throws what the handler throws for a lost lock, where guards, pipes or interceptors took longer than the lock lasted
   */
  work(invoke: (lock: Lock) => unknown, lock: Lock): unknown {
    if (this.state === 'abandoned') throw disconnected();
    this.#assertHeld(lock);
    return this.watch(invoke, lock);
  }

  protected override assertUnderLock(isInTime: boolean): void {
    const { lock, run } = this.parts;
    this.#assertHeld(lock);
    if (isInTime) return;
    const why = 'the call was over before its stream was subscribed to';
    throw exceptionFor(run, new LockLostError(lock?.resources ?? [], 'released', why));
  }

  #assertHeld(lock: Lock | undefined): void {
    try {
      assertHeld(lock);
    } catch (error) {
      throw exceptionFor(this.parts.run, error);
    }
  }
}

/** The call to which the current async context belongs. */
export const lockCalls = new AsyncLocalStorage<LockCall>();
