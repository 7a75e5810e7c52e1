import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultIfEmpty, lastValueFrom, map, Observable } from 'rxjs';
import { isThenable } from '../engine/thenable.js';
import { MethodWork } from '../with-lock/run/method-work.js';
import { endedBy, SecondValueError } from './failure.js';
import type { Idempotency } from './idempotency.js';
import type { IdempotentPlan, PreparedPlan } from './idempotent-plan.js';
import type { Ended, OnceCall, OnceResult } from './once-call.js';
import { OtherCodecError, type Outcome } from './record.js';
import type { ReplyWay } from './reply-way.js';

/** One call on its way to a method. The interceptor and the wrapped method both see it. */
export class IdempotentCall extends MethodWork {
  /** Whether the method has begun, so that it may have done something. */
  hasRun = false;
  /** Why the method has failed, as it ended last. */
  failure: { readonly error: unknown } | undefined;

  constructor(
    /** The class of the handler: other classes may have inherited the method. */
    private readonly owner: unknown,
    private readonly plan: IdempotentPlan,
    /** Undefined for a call that runs unprotected. */
    readonly call: OnceCall | undefined,
  ) {
    super();
  }

  /** Returns whether Nest or an interceptor calls the method for this call. While it runs, every other call comes from the method itself. */
  admits(plan: IdempotentPlan, self: unknown): boolean {
    return !this.isBusy && plan === this.plan && (self as object | undefined)?.constructor === this.owner;
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
    // The lock never ends the work: another attempt takes over, and its outcome counts.
  }

  protected override besides(stream: Observable<unknown>): Observable<unknown> {
    return stream;
  }
}

/** The call to which the current async context belongs. */
export const idempotentCalls = new AsyncLocalStorage<IdempotentCall>();

/** A call of a method that runs once for its key. */
interface MethodOnce {
  readonly idempotency: Idempotency;
  readonly plan: PreparedPlan;
  readonly way: ReplyWay;
  /** The class of the method. */
  readonly owner: unknown;
  /** Leads to the method, which begins with the subscription. */
  readonly source: (work: IdempotentCall) => Observable<unknown>;
  /** Returns what the caller of a refused call gets. @throws what this call fails with */
  readonly refused: (error: unknown) => unknown;
}

/** Resolves with the reply of the work, or of another call for the key. */
export function runMethodOnce(method: MethodOnce, key: string, fingerprint: string | null): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const work = new OnceWork(method, resolve, reject);
    work.run(key, fingerprint).then(resolve, reject);
  });
}

class OnceWork {
  /** How the work has ended for its own caller. */
  #end: { readonly value: unknown; readonly outcome: Outcome } | { readonly error: unknown } | undefined;

  constructor(
    private readonly method: MethodOnce,
    /** For a caller that gets an answer before the work has ended. */
    private readonly resolve: (value: unknown) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  async run(key: string, fingerprint: string | null): Promise<unknown> {
    const { idempotency, plan, way, refused } = this.method;
    const { label, settings } = plan;
    const work = (call: OnceCall): Promise<Ended> => this.#work(call);
    const outcomeOf = (value: unknown): Promise<Outcome> => way.outcomeOf(value);
    let result: OnceResult;
    try {
      result = await idempotency.runner.run({ key, fingerprint, label, settings, work, outcomeOf });
    } catch (error) {
      if (this.#end && 'error' in this.#end && this.#end.error === error) throw error;
      return refused(error);
    }
    if (result.kind === 'replay') return this.#replay(key, result.outcome);
    const end = this.#end!;
    if ('error' in end) throw end.error;
    return way.own(end.value, end.outcome);
  }

  /** @throws the error of a kept one, and what the caller gets for a reply that cannot be read */
  #replay(key: string, outcome: Outcome): unknown {
    const { idempotency, plan, way, refused } = this.method;
    try {
      return way.replay(outcome);
    } catch (cause) {
      if (!(cause instanceof OtherCodecError)) throw cause;
      return refused(idempotency.runner.unreadable(key, plan.label, cause));
    }
  }

  async #work(call: OnceCall): Promise<Ended> {
    const { plan, owner, source, way } = this.method;
    const work = new IdempotentCall(owner, plan.plan, call);
    way.begin?.();
    const [ended] = await Promise.allSettled([onlyValue(work.within(source), plan.where)]);
    const isFailed = ended.status === 'rejected';
    const rest = work.end();
    if (rest) {
      // An interceptor has given up on the method, which runs on. The answer leaves now, and the lock stays with the method.
      if (isFailed) this.reject(ended.reason);
      else this.resolve(ended.value);
      await rest;
      return this.#late(work);
    }
    return isFailed ? this.#failed(ended.reason, work) : this.#succeeded(ended.value);
  }

  /** No client may get the late value, because it has passed none of the interceptors. */
  #late(work: IdempotentCall): Ended {
    if (work.failure) return this.#failed(work.failure.error, work);
    const outcome = this.method.way.early();
    this.#end = { value: undefined, outcome };
    return { keep: outcome };
  }

  #failed(error: unknown, { hasRun }: IdempotentCall): Ended {
    const { keepsError, settings } = this.method.plan;
    this.#end = { error };
    return endedBy(error, settings.onInterrupted, keepsError, hasRun);
  }

  async #succeeded(value: unknown): Promise<Ended> {
    try {
      const outcome = await this.method.way.outcomeOf(value);
      this.#end = { value, outcome };
      return { keep: outcome };
    } catch (error) {
      // The work is done, so it must not run again. Its call fails, so that the first test shows the mistake.
      this.#end = { error };
      return { keep: { kind: 'tombstone', why: 'value' } };
    }
  }
}

/** Resolves with the one value of a stream, or with undefined for none. Only the stream itself ends it. */
function onlyValue(stream: Observable<unknown>, where: string): Promise<unknown> {
  const first = stream.pipe(
    map((value, index) => {
      if (index === 0) return value;
      throw new SecondValueError(`${where}: one reply is kept, and this stream gives a second value; use toArray()`);
    }),
  );
  return lastValueFrom(first.pipe(defaultIfEmpty(undefined)));
}
