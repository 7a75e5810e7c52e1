import { defer, EMPTY, from, isObservable, mergeMap, of, type Observable } from 'rxjs';
import { setImmediate } from '../../engine/real-time.js';
import { skipped } from './locked-run.js';
import { SafeLogger } from '../../logging/safe-logger.js';

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
    if (!this.#isHeard) logger.error(`${where}: a call has failed, and nobody awaits its result`, error);
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
