import { isObservable, type Subscribable } from 'rxjs';
import type { Lock } from '../../core/api/lock.js';
import type { MethodWork } from './method-work.js';

/** What runs under the lock of a stream. A source that is no Observable gives nothing before `subscribe` has returned. */
export interface LockedSource<T> extends Subscribable<T> {
  /** The method at the end of the source, where it may outlast the source. */
  readonly work?: MethodWork;
}

/** Opens the source under its lock. */
export type Open<T> = (lock: Lock | undefined) => LockedSource<T>;

/** An Observable is of the user, and ends with its subscription, whatever properties it has. */
export function workOf(source: LockedSource<unknown>): MethodWork | undefined {
  return isObservable(source) ? undefined : source.work;
}
