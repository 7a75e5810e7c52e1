import type { Lock } from '../../../lib/core/lock.js';
import type { RedlockService } from '../../../lib/redlock.service.js';
import { Dice } from '../dice.js';
import { machineTime } from '../record.js';
import type { StoreReply, StoreRequest } from '../stage/store.js';
import { Journal } from './journal.js';
import type { ClientTerms, Mode, Word } from './terms.js';

/** What all workers of this process share. */
export class Surroundings {
  readonly journal: Journal;
  readonly dice: Dice;
  mode: Mode = 'rest';
  /** Ends with the mode: sections of the old one are cut short. */
  #shift = new AbortController();
  /** Ends with the work: who still waits then gives up. */
  #work = new AbortController();
  readonly #held = new Map<string, Lock>();
  readonly #requests = new Map<number, (reply: StoreReply) => void>();
  #asked = 0;
  #requested = 0;

  constructor(
    readonly service: RedlockService,
    readonly terms: ClientTerms,
  ) {
    this.journal = new Journal(terms.journal);
    this.dice = new Dice(terms.seed);
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

  holds(id: string, lock: Lock): void {
    this.#held.set(id, lock);
    lock.signal.addEventListener('abort', () => {
      if (this.#held.has(id)) this.journal.write({ what: 'lost', id, at: machineTime() });
    });
  }

  gaveBack(id: string): void {
    this.#held.delete(id);
  }

  /** An extension gives a holder more to claim. */
  extended(resources: readonly string[]): void {
    for (const [id, lock] of this.#held) {
      if (lock.resources.join() !== resources.join()) continue;
      const at = machineTime();
      this.journal.write({ what: 'extended', id, at, until: at + lock.validity });
    }
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
