import type { Observable } from 'rxjs';
import { endedBy } from './ended-by.js';
import type { Idempotency } from './idempotency.js';
import { IdempotentCall } from './idempotent-call.js';
import type { IdempotentPlan } from './idempotent-plan.js';
import type { OnceCall } from './once-call.js';
import { onlyValue } from './only-value.js';
import { type Ended, OtherCodecError, type Outcome } from './outcome.js';
import type { PreparedPlan } from './prepared-plan.js';
import type { ReplyWay } from './reply-ways.js';
import type { OnceResult } from './once-run.js';

/** A call of a method, which is to run once for its key. */
export interface MethodOnce {
  readonly idempotency: Idempotency;
  readonly plan: IdempotentPlan;
  readonly prepared: PreparedPlan;
  readonly way: ReplyWay;
  /** The class of the method. */
  readonly owner: unknown;
  /** What leads to the method; it begins when it is subscribed to. */
  readonly source: (work: IdempotentCall) => Observable<unknown>;
  /** Returns what a caller gets whose call is refused. @throws what it fails with */
  readonly refused: (error: unknown) => unknown;
}

/** What the work of a call has come to, for its own caller. */
type End = { readonly value: unknown; readonly outcome: Outcome } | { readonly error: unknown };

/** Resolves with the reply: that of the work, or that of another call for the key. */
export function runMethodOnce(method: MethodOnce, key: string, fingerprint: string | null): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const work = new OnceWork(method, { resolve, reject });
    work.run(key, fingerprint).then(resolve, reject);
  });
}

/** The caller of a call, who may have the answer before the work has ended. */
interface Caller {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class OnceWork {
  #end: End | undefined;

  constructor(
    private readonly method: MethodOnce,
    private readonly caller: Caller,
  ) {}

  async run(key: string, fingerprint: string | null): Promise<unknown> {
    const { way } = this.method;
    let result: OnceResult;
    try {
      result = await this.#once(key, fingerprint);
    } catch (error) {
      if (this.#end && 'error' in this.#end && this.#end.error === error) throw error;
      return this.method.refused(error);
    }
    if (result.kind === 'replay') return this.#replay(key, result.outcome);
    const end = this.#end!;
    if ('error' in end) throw end.error;
    return way.own(end.value, end.outcome);
  }

  /** @throws the error of a kept one, and what the caller gets for a reply that cannot be read */
  #replay(key: string, outcome: Outcome): unknown {
    try {
      return this.method.way.replay(outcome);
    } catch (cause) {
      if (!(cause instanceof OtherCodecError)) throw cause;
      return this.method.refused(this.method.idempotency.runner.unreadable(key, this.method.prepared.label, cause));
    }
  }

  #once(key: string, fingerprint: string | null): Promise<OnceResult> {
    const { idempotency, prepared, way } = this.method;
    return idempotency.runner.run({
      key,
      fingerprint,
      label: prepared.label,
      settings: prepared.settings,
      work: (call) => this.#work(call),
      outcomeOf: (value) => way.outcomeOf(value),
    });
  }

  async #work(call: OnceCall): Promise<Ended> {
    const { plan, owner, source, way } = this.method;
    const work = new IdempotentCall({ plan, owner, call });
    way.begin();
    const [ended] = await Promise.allSettled([onlyValue(work.within(source), plan.where)]);
    const isFailed = ended.status === 'rejected';
    const rest = work.end();
    if (rest) {
      // Something on the way has given up on the method, which runs on: its answer leaves now, and the lock stays with the method.
      if (isFailed) this.caller.reject(ended.reason);
      else this.caller.resolve(ended.value);
      await rest;
      return this.#late(work);
    }
    return isFailed ? this.#failed(ended.reason, work) : this.#succeeded(ended.value);
  }

  /** The late value has passed none of the interceptors, so it is not what a client may get. */
  #late(work: IdempotentCall): Ended {
    if (work.failure) return this.#failed(work.failure.error, work);
    const outcome = this.method.way.early();
    this.#end = { value: undefined, outcome };
    return { keep: outcome };
  }

  #failed(error: unknown, { hasRun }: IdempotentCall): Ended {
    const { keepsError, settings } = this.method.prepared;
    this.#end = { error };
    return endedBy(error, { keepsError, onInterrupted: settings.onInterrupted, hasRun });
  }

  async #succeeded(value: unknown): Promise<Ended> {
    try {
      const outcome = await this.method.way.outcomeOf(value);
      this.#end = { value, outcome };
      return { keep: outcome };
    } catch (error) {
      // The work is done, so it must not run again; its call fails all the same, so that the first test shows the mistake.
      this.#end = { error };
      return { keep: { kind: 'tombstone', why: 'value' } };
    }
  }
}
