import { isObservable, type Observable, throwError } from 'rxjs';
import type { Lock } from '../../engine/lock.js';
import { KeptLock } from './kept-lock.js';
import { LockCall } from './lock-call.js';
import { type LockedRun, skipped } from './run-alone.js';
import type { LockedSource, Open } from './method-work.js';
import { streamLocked } from './locked-stream.js';
import { PromiseAndObservable, type ResultKind, valuesOf } from './result-kind.js';
import { runOrJoin } from './run-or-join.js';

/** One call of a method that takes the lock itself. */
interface MethodCall {
  readonly kind: ResultKind;
  /** Calls the method. */
  readonly invoke: (lock: Lock | undefined) => unknown;
  /** May throw, for example if the object has no service. */
  readonly toRun: () => LockedRun;
}

/** Calls the method under its lock. Returns a promise or an Observable; both in one if nobody knows yet which of them. */
export function callLocked(call: MethodCall): unknown {
  const { kind } = call;
  if (kind.isStream) return streamOf(call);
  const outcome = outcomeOf(call);
  return kind.isPromise ? outcome : new PromiseAndObservable(outcome, kind.where);
}

function streamOf({ invoke, toRun }: MethodCall): Observable<unknown> {
  try {
    const run = toRun();
    return streamLocked(run, (lock) => sourceOf(run, lock, invoke(lock)));
  } catch (error) {
    return throwError(() => error);
  }
}

/** Resolves with what the method returns, after the release; if that is an Observable, at once. */
function outcomeOf({ kind, ...call }: MethodCall): Promise<unknown> {
  const { isPromise } = kind;
  return new Promise((resolve, reject) => {
    const run = call.toRun();
    const released: Promise<unknown> = runOrJoin<unknown>(run, async (lock, sharing) => {
      const value = await call.invoke(lock);
      if (!isObservable(value)) return value;
      const kept = new KeptLock(lock, () => released);
      const stream = streamLocked({ ...run, kept }, openerOf({ kind, ...call }, run, value));
      if (sharing) sharing.tell(Promise.resolve(stream));
      else resolve(stream);
      await kept.used();
      return stream;
    });
    const isValue = isPromise || run.toException !== undefined;
    released.then((value) => resolve(value === skipped && isValue ? undefined : value), reject);
  });
}

/** Gives the first subscription the Observable that is there. For later ones the method is called again, as it is when its kind is known. */
function openerOf({ kind, invoke }: MethodCall, run: LockedRun, first: Observable<unknown>): Open<unknown> {
  let isOpen = false;
  return (lock) => {
    const result = isOpen && kind.isStream ? invoke(lock) : first;
    isOpen = true;
    return sourceOf(run, lock, result);
  };
}

/** Returns what a stream can follow. A promise keeps the lock until it has settled, also if its subscriber leaves. */
function sourceOf(run: LockedRun, lock: Lock | undefined, result: unknown): LockedSource<unknown> {
  if (isObservable(result)) return result;
  const work = new LockCall({ request: {}, run });
  const values = valuesOf(Promise.resolve(work.invokeTracked(() => result, lock)));
  return { work, subscribe: (observer) => values.subscribe(observer) };
}
