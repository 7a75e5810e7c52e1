import { Deferred } from './deferred.js';

/** A door in the middle of guarded code: the test sees which calls stand in it, and says when they may go on. */
export class Door {
  /** How many stand in it now. */
  inside = 0;
  /** How many have ever stood in it at once. */
  most = 0;
  /** The visitors, in order. */
  readonly visits: string[] = [];
  #way: Deferred | undefined;
  #changed = new Deferred();

  /** Goes through; waits inside while it is shut. */
  async pass(who = 'somebody'): Promise<void> {
    this.inside += 1;
    this.most = Math.max(this.most, this.inside);
    this.visits.push(who);
    this.#tell();
    // Open as it may be, it takes a turn of the event loop: long enough for another one to come.
    await (this.#way?.promise ?? new Promise(setImmediate));
    this.inside -= 1;
    this.#tell();
  }

  shut(): void {
    this.#way ??= new Deferred();
  }

  open(): void {
    this.#way?.resolve();
    this.#way = undefined;
  }

  /** Opens, and forgets its visitors. */
  reset(): void {
    this.open();
    this.visits.length = 0;
    this.most = 0;
  }

  /** Resolves once so many have come since the last reset. */
  async untilVisits(count: number): Promise<void> {
    while (this.visits.length < count) await this.#changed.promise;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = new Deferred();
  }
}
