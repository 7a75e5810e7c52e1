import type { Lock } from '../../../lib/engine/lock.js';
import { LockCall } from '../../../lib/with-lock/run/lock-call.js';
import type { LockedSource } from '../../../lib/with-lock/run/method-work.js';
import { Watched } from './watched.js';

/** The rest of the way to a method of Nest, of which the test says when the method begins, and what the interceptors around it pass on. */
export class StubWay {
  readonly chain = new Watched<unknown>();
  call!: LockCall;

  readonly open = (lock: Lock | undefined): LockedSource<unknown> => {
    this.call = new LockCall({ request: {}, lock, run: {} });
    return { work: this.call, subscribe: (observer) => this.chain.stream.subscribe(observer) };
  };

  /** Calls the method under the lock, and returns what Nest would get from it. */
  begin(result: unknown): unknown {
    return this.call.invokeUnderLock(() => result, this.call.lock!);
  }
}
