import type { ExecutionContext } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Observable } from 'rxjs';
import { isThenable } from '../engine/thenable.js';
import { MethodWork } from '../with-lock/run/method-work.js';
import type { IdempotentPlan } from './idempotent-plan.js';
import type { OnceCall } from './once-call.js';

interface IdempotentCallInit {
  /** The class of the handler: other classes may have inherited the same method. */
  readonly owner: unknown;
  readonly plan: Pick<IdempotentPlan, 'where'>;
  /** Undefined for a call that runs unprotected. */
  readonly call: OnceCall | undefined;
}

/** One call on its way to a method, as the interceptor and the wrapped method both see it. */
export class IdempotentCall extends MethodWork {
  /** Whether the method has begun, so that it may have done something. */
  hasRun = false;
  /** Why the method has failed, as it ended last. */
  failure: { readonly error: unknown } | undefined;

  constructor(private readonly init: IdempotentCallInit) {
    super();
  }

  get call(): OnceCall | undefined {
    return this.init.call;
  }

  /** Returns whether Nest or an interceptor calls the method for this call. While it runs, every other call comes from the method itself. */
  admits(plan: Pick<IdempotentPlan, 'where'>, self: unknown): boolean {
    const { init } = this;
    return !this.isBusy && plan === init.plan && (self as object | undefined)?.constructor === init.owner;
  }

  /** Calls the method, and follows it to its end, which may come after the answer. */
  follow(method: () => unknown): unknown {
    this.hasRun = true;
    this.failure = undefined;
    return this.watch(() => this.#noting(method()), undefined);
  }

  /** Runs what leads to the method, so that the method finds this call. */
  within(open: (work: this) => Observable<unknown>): Observable<unknown> {
    return new Observable((subscriber) => idempotentCalls.run(this, () => open(this).subscribe(subscriber)));
  }

  #noting(result: unknown): unknown {
    if (!isThenable(result)) return result;
    const promise = Promise.resolve(result);
    promise.catch((error: unknown) => (this.failure = { error }));
    return promise;
  }

  protected override assertUnderLock(): void {
    // The work is never ended by its lock: another attempt takes over, and its outcome counts.
  }

  protected override besides(stream: Observable<unknown>): Observable<unknown> {
    return stream;
  }
}

/** The call to which the current async context belongs. */
export const idempotentCalls = new AsyncLocalStorage<IdempotentCall>();

const entered = new WeakSet<ExecutionContext>();

/** Returns true for the first interceptor of an invocation that asks, which is the outermost one; Nest passes one context to all. */
export function entersFirst(context: ExecutionContext): boolean {
  if (entered.has(context)) return false;
  entered.add(context);
  return true;
}
