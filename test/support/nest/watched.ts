import { Observable, Subject } from 'rxjs';
import { Deferred } from './deferred.js';

/** A stream that knows its subscribers. */
export class Watched<T> {
  /** How many listen now. */
  subscribers = 0;
  /** How many have ever listened. */
  subscriptions = 0;
  readonly #values = new Subject<T>();
  readonly #subscribed = new Deferred();

  readonly stream = new Observable<T>((subscriber) => {
    this.subscribers += 1;
    this.subscriptions += 1;
    const subscription = this.#values.subscribe(subscriber);
    this.#subscribed.resolve();
    return () => {
      this.subscribers -= 1;
      subscription.unsubscribe();
    };
  });

  /** Resolves once there has been a subscriber. */
  untilSubscribed(): Promise<void> {
    return this.#subscribed.promise;
  }

  next(value: T): void {
    this.#values.next(value);
  }

  complete(): void {
    this.#values.complete();
  }

  error(error: unknown): void {
    this.#values.error(error);
  }
}
