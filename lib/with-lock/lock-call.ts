import { AsyncLocalStorage } from 'node:async_hooks';
import type { Lock } from '../core/lock.js';
import type { LockPlan } from './lock-plan.js';
import type { LockedRun } from './run-locked.js';

export interface LockCallParts {
  readonly plan: LockPlan;
  readonly request: object;
  /** What the interceptor took for this call; undefined where the method is to take it. */
  readonly lock?: Lock | undefined;
  /** What the client is told when the lock cannot be had, and how one learns that the client has gone away. */
  readonly reply: Pick<LockedRun, 'toReply' | 'signal'>;
}

/** One request on its way to a handler, as the interceptor and the wrapped method both see it. */
export class LockCall {
  #entered = false;

  constructor(private readonly parts: LockCallParts) {}

  get request(): object {
    return this.parts.request;
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
}

/** The call that the current async context belongs to. */
export const lockCalls = new AsyncLocalStorage<LockCall>();
