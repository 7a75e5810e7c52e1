import { AsyncLocalStorage } from 'node:async_hooks';
import type { Lock } from '../../core/api/lock.js';
import { assertHeld } from './assert-held.js';
import { departed } from '../transport/client-connection.js';
import type { HandlerKind } from '../key/handler-kind.js';
import type { LockPlan } from './lock-plan.js';
import { replyOf } from '../reply/reply.js';
import type { LockedRun } from './locker.js';

export interface LockCallParts {
  readonly plan: LockPlan;
  readonly request: object;
  /** @default that of an HTTP request */
  readonly kind?: HandlerKind | undefined;
  /** What the interceptor took for this call; undefined where the method is to take it. */
  readonly lock?: Lock | undefined;
  /** What the client is told when the lock cannot be had, and how one learns that the client has gone away. */
  readonly reply: Pick<LockedRun, 'toReply' | 'signal'>;
}

/** One request on its way to a handler, as the interceptor and the wrapped method both see it. */
export class LockCall {
  #entered = false;
  #left = false;
  #work: Promise<unknown> | undefined;

  constructor(private readonly parts: LockCallParts) {}

  get request(): object {
    return this.parts.request;
  }

  get kind(): HandlerKind | undefined {
    return this.parts.kind;
  }

  get lock(): Lock | undefined {
    return this.parts.lock;
  }

  get reply(): LockCallParts['reply'] {
    return this.parts.reply;
  }

  /** True while Nest is still on its way to the method with this plan. */
  isFor(plan: LockPlan): boolean {
    return plan === this.parts.plan && !this.#entered;
  }

  /** True once, for the call by Nest: what the method itself calls locks for itself. */
  enter(plan: LockPlan): boolean {
    const first = this.isFor(plan);
    this.#entered ||= first;
    return first;
  }

  /**
   * Runs the method under the lock of this call, unless nobody waits for it any more: the lock is on its way back then.
   * @throws what the client is told of a lost lock where guards, pipes or interceptors took longer than the lock lasted
   */
  work(invoke: (lock: Lock) => unknown, lock: Lock): unknown {
    if (this.#left) throw departed();
    this.#assertHeld(lock);
    const result = invoke(lock);
    if (result instanceof Promise) this.#work = result;
    return result;
  }

  #assertHeld(lock: Lock): void {
    try {
      assertHeld(lock);
    } catch (error) {
      throw replyOf(this.parts.reply, error);
    }
  }

  /** Nobody waits for it any more; a promise of the method goes on all the same, and resolves what this returns. */
  leave(): Promise<unknown> | undefined {
    this.#left = true;
    return this.#work?.catch(() => undefined);
  }
}

/** The call that the current async context belongs to. */
export const lockCalls = new AsyncLocalStorage<LockCall>();
