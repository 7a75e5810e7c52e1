import type { Lock } from '../../../lib/engine/lock.js';
import type { RedlockService } from '../../../lib/redlock.service.js';
import { Dice } from '../dice.js';
import { machineTime } from '../record.js';
import type { StoreReply, StoreRequest } from '../stage/store.js';
import { Journal } from './journal.js';
import type { ClientTerms, Mode, Word } from './terms.js';

/** Ms between two looks whether a lease lasts longer than its holder was told. */
const LOOK = 20;

/** What all workers of this process share. */
export class Surroundings {
  readonly journal: Journal;
  readonly dice: Dice;
  mode: Mode = 'rest';
  /** Ends with the mode: sections of the old one are cut short. */
  #shift = new AbortController();
  /** Ends with the work: a caller that still waits then gives up. */
  #work = new AbortController();
  readonly #asides = new Set<Promise<unknown>>();
  readonly #held = new Map<string, { readonly lock: Lock; until: number }>();
  readonly #requests = new Map<number, (reply: StoreReply) => void>();
  #asked = 0;
  #requested = 0;

  constructor(
    readonly service: RedlockService,
    readonly terms: ClientTerms,
  ) {
    this.journal = new Journal(terms.journal);
    this.dice = new Dice(terms.seed);
    setInterval(() => this.#noteLonger(), LOOK).unref();
  }

  get shift(): AbortSignal {
    return this.#shift.signal;
  }

  get work(): AbortSignal {
    return this.#work.signal;
  }

  change(mode: Mode): void {
    this.mode = mode;
    const over = this.#shift;
    this.#shift = new AbortController();
    over.abort();
    if (mode === 'rest') this.#work.abort();
    else if (this.#work.signal.aborted) this.#work = new AbortController();
  }

  newId(): string {
    this.#asked += 1;
    return `${this.terms.client}/${this.#asked}`;
  }

  /** Something that goes on beside the workers. */
  aside(errand: Promise<unknown>): void {
    this.#asides.add(errand);
    void errand.finally(() => this.#asides.delete(errand));
  }

  /** Resolves when nothing goes on beside the workers any more. */
  async alone(): Promise<void> {
    while (this.#asides.size > 0) await Promise.all(this.#asides);
  }

  /** Writes it down when the lock is lost, and then calls `lost`. */
  holds(id: string, lock: Lock, lost: () => void): void {
    this.#held.set(id, { lock, until: claimOf(lock).until });
    lock.signal.addEventListener('abort', () => {
      if (!this.#held.has(id)) return;
      this.journal.write({ what: 'lost', id, at: machineTime() });
      lost();
    });
  }

  gaveBack(id: string): void {
    this.#held.delete(id);
  }

  /** An extension gives a holder more to claim. */
  extended(resources: readonly string[]): void {
    for (const [id, held] of this.#held) if (held.lock.resources.join() === resources.join()) this.#noteClaim(id, held);
  }

  /** A lease that passes to the next caller of a process is extended in the background, which no event tells. */
  #noteLonger(): void {
    for (const [id, held] of this.#held) if (claimOf(held.lock).until > held.until + 1) this.#noteClaim(id, held);
  }

  #noteClaim(id: string, held: { readonly lock: Lock; until: number }): void {
    // One that was lost may still be in the hands of a worker that has not noticed.
    if (!held.lock.isValid) return;
    const claim = claimOf(held.lock);
    held.until = claim.until;
    this.journal.write({ what: 'extended', id, ...claim });
  }

  say(word: Word): void {
    process.send?.(word);
  }

  ask(what: StoreRequest): Promise<StoreReply> {
    this.#requested += 1;
    const request = this.#requested;
    return new Promise((resolve) => {
      this.#requests.set(request, resolve);
      this.say({ say: 'store', request, what });
    });
  }

  replied(request: number, reply: StoreReply): void {
    this.#requests.get(request)?.(reply);
    this.#requests.delete(request);
  }
}

/** What a holder may claim, and what it may claim at most should the process stand still while it looks. */
export function claimOf(lock: Lock): { readonly at: number; readonly until: number; readonly latest: number } {
  const at = machineTime();
  const left = lock.validity;
  return { at, until: at + left, latest: machineTime() + left };
}
