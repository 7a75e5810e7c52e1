import type { ExecutionContext } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Observable } from 'rxjs';
import { LockLostError } from '../../engine/errors.js';
import type { Lock } from '../../engine/lock.js';
import { disconnected } from '../transport/wait-cancellation.js';
import type { HandlerKind } from '../key/key-roots.js';
import type { LockPlan } from './lock-plan.js';
import { assertHeld, exceptionFor, type LockedRun } from './run-locked.js';
import { streamLocked } from './locked-stream.js';
import { MethodWork } from './method-work.js';

export interface LockCallInit {
  /** What Nest passes to all interceptors of one invocation. */
  readonly context?: ExecutionContext | undefined;
  readonly request: object;
  readonly kind?: HandlerKind | undefined;
  /** The lock that the interceptor took for this request; undefined if the method has to take it. */
  readonly lock?: Lock | undefined;
  /** How the interceptor takes the lock, or the method in its place. */
  readonly run: Partial<LockedRun>;
}

/** One request on its way to a handler, as the interceptor and the wrapped method both see it. */
export class LockCall extends MethodWork {
  constructor(private readonly parts: LockCallInit) {
    super();
  }

  get request(): object {
    return this.parts.request;
  }

  get kind(): HandlerKind | undefined {
    return this.parts.kind;
  }

  /** The lock that the interceptor took; undefined if the method must take a lock, as after the answer has ended. */
  get lock(): Lock | undefined {
    return this.state === 'over' ? undefined : this.parts.lock;
  }

  get run(): Pick<LockedRun, 'toException' | 'signal' | 'client'> {
    const { toException, signal, client } = this.parts.run;
    // The client has its answer then, so the method waits for no client.
    return this.state === 'over' ? { toException } : { toException, signal, client };
  }

  /** Returns whether an interceptor of this invocation has made this call, and not one of a request that is handled within it. */
  isOf(context: ExecutionContext): boolean {
    return context === this.parts.context;
  }

  /**
   * Returns whether this call of the method may use the lock of this request. While one such call runs, any other call takes a lock of its own:
   * it may come from the method itself, or from work that was only started in this async context.
   */
  admits(plan: LockPlan, self: unknown): boolean {
    const { run } = this.parts;
    return !this.isBusy && plan === run.plan && (self as object | undefined)?.constructor === run.owner;
  }

  /**
   * Runs the method under the lock of this call, unless nobody waits for the result any more, and the lock is being released.
   * @throws what the handler throws for a lost lock, if guards, pipes or interceptors took longer than the lock lasted
   */
  invokeUnderLock(invoke: (lock: Lock) => unknown, lock: Lock): unknown {
    if (this.state === 'abandoned') throw disconnected();
    this.#assertHeld(lock);
    return this.watch(invoke, lock);
  }

  /** Calls a method that has taken its lock itself. */
  invokeTracked(invoke: (lock: Lock | undefined) => unknown, lock: Lock | undefined): unknown {
    return this.parts.lock ? invoke(lock) : this.watch(invoke, lock);
  }

  protected override assertUnderLock(isInTime: boolean): void {
    const { lock, run } = this.parts;
    if (!lock) return;
    this.#assertHeld(lock);
    if (isInTime) return;
    const why = 'the call was over before its stream was subscribed to';
    throw exceptionFor(run, new LockLostError(lock.resources, 'released', why));
  }

  protected override besides(stream: Observable<unknown>): Observable<unknown> {
    const { lock, run } = this.parts;
    return lock ? streamLocked(run as LockedRun, () => stream) : stream;
  }

  #assertHeld(lock: Lock): void {
    try {
      assertHeld(lock);
    } catch (error) {
      throw exceptionFor(this.parts.run, error);
    }
  }
}

/** The call to which the current async context belongs. */
export const lockCalls = new AsyncLocalStorage<LockCall>();
