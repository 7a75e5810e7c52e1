import { isObservable } from 'rxjs';
import { isThenable } from '../../engine/thenable.js';
import { ignore } from '../../engine/real-time.js';
import { SafeLogger } from '../../logging/safe-logger.js';

const logger = new SafeLogger('RedlockService');

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
    logger.warn(
      `${this.where} returned neither a Promise nor an Observable, so its callers get a Promise of the value: make it async`,
    );
  }
}
