import { defer, EMPTY, from, isObservable, mergeMap, type Observable, of } from 'rxjs';
import { ignore, setImmediate } from '../../engine/native-timers.js';
import { skipped } from './run-locked.js';
import { SafeLogger } from '../../logging/safe-logger.js';
import { isThenable } from '../../engine/thenable.js';
import { coded } from '../../engine/codes.js';

const logger = new SafeLogger('RedlockService');
const MEMBERS = ['subscribe', 'pipe', 'lift', 'forEach', 'toPromise'] as const;

/**
 * A call that has begun before anybody knows whether its method returns a promise or an Observable. It is both: a promise of the outcome, and an
 * Observable of the values.
 */
export class PromiseAndObservable extends Promise<unknown> {
  #isHeard = false;

  /** @param where the method, for the log */
  constructor(outcome: Promise<unknown>, where: string) {
    super((resolve) => resolve(outcome.then((value) => (value === skipped ? undefined : value))));
    const stream = defer(() => {
      this.#isHeard = true;
      return valuesOf(outcome);
    });
    for (const name of MEMBERS) void Object.defineProperty(this, name, { value: stream[name].bind(stream) });
    // Copies of RxJS look for one name or the other.
    for (const name of ['@@observable', Symbol.observable as symbol | undefined])
      if (name !== undefined) void Object.defineProperty(this, name, { value: () => stream });
    // A caller that only subscribes handles no rejection.
    super.then(undefined, (error) => setImmediate(() => this.#logUnheard(error, where)));
  }

  /** Promises that are made of this one are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise has this method
  override then<A = unknown, B = never>(
    fulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isHeard = true;
    return super.then(fulfilled, rejected);
  }

  #logUnheard(error: unknown, where: string): void {
    if (!this.#isHeard)
      logger.error(coded('REDLOCK_W12', `${where}: a call failed, and nobody awaits its result`), error);
  }
}

/** Returns the values of an Observable that is promised, or the promised value. */
export function valuesOf(outcome: Promise<unknown>): Observable<unknown> {
  return from(outcome).pipe(
    mergeMap((value) => {
      if (value === skipped) return EMPTY;
      return isObservable(value) ? value : of(value);
    }),
  );
}

/** What one method returns, as far as its calls have shown: no compiler has to write down the type. */
export class ResultKind {
  #promises: boolean;
  #streams = false;
  #hasWarned = false;

  constructor(
    method: object,
    readonly where: string,
  ) {
    // A native async function returns nothing else.
    this.#promises = Object.prototype.toString.call(method) === '[object AsyncFunction]';
  }

  get isPromise(): boolean {
    return this.#promises && !this.#streams;
  }

  get isStream(): boolean {
    return this.#streams && !this.#promises;
  }

  note(result: unknown): void {
    if (!isThenable(result)) this.#streams ||= isObservable(result);
    else if (!isObservable(result)) this.#promises = true;
    // The method has returned the first call of another locked method, which is both until it has ended.
    else void result.then((value) => (isObservable(value) ? (this.#streams = true) : (this.#promises = true)), ignore);
  }

  /** Logs once that callers get a promise of a value that the method returns as it is. */
  warnOfValue(result: unknown): void {
    if (this.#hasWarned || isThenable(result) || isObservable(result)) return;
    this.#hasWarned = true;
    const text = `${this.where} returned neither a Promise nor an Observable, so its callers get a Promise of the value: make it async`;
    logger.warn(coded('REDLOCK_W11', text));
  }
}
