import type { Agenda } from './agenda.js';

/** What is watched over. */
export interface Watched {
  /** Ms left of the lease. */
  left(): number;
  /** Called when it is time to extend; not before `watch` is called again. */
  renew(): void;
  /** Called when the lease is over. */
  expire(): void;
}

/** Wakes a lease when it is over, or before that when it is to be extended. */
export class LeaseWatch {
  #forget: () => void = () => undefined;

  constructor(
    private readonly agenda: Agenda,
    private readonly watched: Watched,
  ) {}

  /** Watches from now on, extending in `renewIn` ms where that is before the end. */
  watch(renewIn = Infinity): void {
    this.stop();
    const left = this.watched.left();
    const task = renewIn < left ? (): void => this.watched.renew() : (): void => this.#end();
    this.#forget = this.agenda.add(Math.min(renewIn, left), task);
  }

  stop(): void {
    this.#forget();
  }

  /** A timer may be early by less than a ms, and the lease may have been extended meanwhile. */
  #end(): void {
    if (this.watched.left() >= 1) this.watch();
    else this.watched.expire();
  }
}
