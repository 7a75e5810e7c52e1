import { BehaviorSubject, distinctUntilChanged, type Observable } from 'rxjs';
import { type Clock, elapsed } from '../engine/clock.js';
import { RedlockClosedError } from '../engine/errors.js';
import type { LockListener, TermEnd } from '../engine/events.js';
import type { Lock } from '../engine/lock.js';
import type { Random } from '../engine/random.js';
import { checkNames, checkValues, ms, invalidValue, toTtl } from '../engine/options.js';
import { mistake } from '../engine/codes.js';
import { locateErrors } from '../start-up/error-location.js';
import { HeldTerm, type LeaderWork, type StopWork, type Term } from './term.js';

/** The options of a candidate. */
export interface LeadOptions {
  /** Ms that a lease lasts unless it is extended. If the leader crashes, the next one leads after that time. @default 10_000, or `maxTtl` if that is less */
  ttl?: number;
  /** Ms that the work and its clean-up may take to end after a term. @default 5_000 */
  stopTimeout?: number;
  /** Closes the candidate when the signal aborts. @default none */
  signal?: AbortSignal;
}

/** Ms. */
const DEFAULTS = { ttl: 10_000, stopTimeout: 5_000 };
/** Ms of the first pause after work that threw, and of the longest one. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** What a candidate needs of its pool. */
export interface Electorate {
  readonly clock: Clock;
  /** Ms. */
  readonly maxTtl: number;
  readonly driftFactor: number;
  /** Resolves with the lock of the role once it is the turn of this process. */
  elect(name: string, options: { readonly ttl: number; readonly signal: AbortSignal }): Promise<Lock>;
  /** Tells all processes who leads; returns the function that ends this. */
  announce(name: string, lock: Lock): () => void;
  readonly random: Random;
  readonly emit: LockListener;
  /** Called once when the candidate is closed. */
  closed(candidate: Candidate): void;
}

/** One process that leads whenever it is elected. `RedlockService.lead` makes it. */
export interface Candidate {
  /** The name of the role. */
  readonly name: string;
  /** True while this process leads. The property reads the clock. */
  readonly isLeader: boolean;
  /** The term of this process; undefined while this process does not lead. */
  readonly term: Term | undefined;
  /** Emits whether this process leads: at once, and whenever that changes. */
  readonly leader$: Observable<boolean>;
  /** Gives the role up, and stays a candidate behind the others. Resolves once another process can lead. */
  resign(): Promise<void>;
  /** Gives the role up, and stops campaigning. Resolves once another process can lead. */
  close(): Promise<void>;
}

/** A candidate, as its pool sees it. */
export class RoleCandidate implements Candidate {
  readonly #options: Required<Omit<LeadOptions, 'signal'>>;
  readonly #closing = new AbortController();
  readonly #leads = new BehaviorSubject(false);
  #term: HeldTerm | undefined;
  /** The work of an earlier term that did not end in time. */
  #unfinished: Promise<unknown> | undefined;
  #failures = 0;
  readonly #ended: Promise<void>;

  /** Emits whether this process leads: at once, and whenever that changes. */
  readonly leader$: Observable<boolean> = this.#leads.pipe(distinctUntilChanged());

  constructor(
    /** The name of the role. */
    readonly name: string,
    private readonly work: LeaderWork,
    options: LeadOptions,
    private readonly pool: Electorate,
  ) {
    this.#options = optionsOf(options, pool);
    if (typeof work !== 'function')
      throw mistake('REDLOCK_E04', 'lead takes the name, the work and then the options; the work must be a function');
    const { signal } = options;
    const close = (): void => void this.close();
    signal?.addEventListener('abort', close, { once: true });
    if (signal?.aborted) this.#closing.abort();
    pool.emit({ type: 'campaigning', name });
    this.#ended = this.#campaign().finally(() => {
      signal?.removeEventListener('abort', close);
      this.#leads.complete();
      pool.emit({ type: 'campaign-ended', name });
      pool.closed(this);
    });
  }

  /** True while this process leads. The property reads the clock. */
  get isLeader(): boolean {
    return this.#term?.isLeading === true;
  }

  /** The term of this process; undefined while this process does not lead. */
  get term(): Term | undefined {
    return this.isLeader ? this.#term : undefined;
  }

  /** Gives the role up, and stays a candidate behind the others. Resolves once another process can lead. */
  async resign(): Promise<void> {
    await this.#term?.resign();
  }

  /** Gives the role up, and stops campaigning. Resolves once another process can lead. */
  close(): Promise<void> {
    return this.end('resigned');
  }

  /** @internal */
  end(why: TermEnd): Promise<void> {
    this.#closing.abort();
    this.#term?.end(why);
    return this.#ended;
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #campaign(): Promise<void> {
    const { signal } = this.#closing;
    while (!this.#isClosed()) {
      try {
        const lock = await this.pool.elect(this.name, { ttl: this.#options.ttl, signal });
        if (this.#isClosed()) return await lock.release();
        await this.#lead(lock);
      } catch (error) {
        if (this.#isClosed() || error instanceof RedlockClosedError) return;
        this.#failures += 1;
      }
      if (this.#failures > 0) await this.#pause();
    }
  }

  async #lead(lock: Lock): Promise<void> {
    const { name, pool } = this;
    const since = pool.clock.now();
    const term = new HeldTerm(name, lock, this.#unfinished !== undefined);
    this.#term = term;
    const { number } = term;
    pool.emit({ type: 'elected', name, term: number, overlap: term.overlap });
    this.#leads.next(this.isLeader);
    const withdraw = pool.announce(name, lock);
    const running = this.#run(term);
    const reason = await term.ended;
    if (reason !== 'failed') this.#failures = 0;
    this.#leads.next(false);
    await this.#stopped(running);
    withdraw();
    await term.handOver();
    this.#term = undefined;
    pool.emit({ type: 'deposed', name, term: number, reason, led: Math.round(elapsed(since, pool.clock.now())) });
  }

  /** Runs the work, and what it returns once the term has ended. Resolves when both are over. */
  async #run(term: HeldTerm): Promise<void> {
    let stop: void | StopWork;
    try {
      stop = await this.work(term);
    } catch (error) {
      // An aborted signal rejects what waits for it: this is no failure.
      if (term.signal.aborted) return;
      this.#failures += 1;
      this.#failed(term, error);
      return term.end('failed', error);
    }
    await term.ended;
    try {
      await stop?.();
    } catch (error) {
      this.#failed(term, error);
    }
  }

  #failed({ number }: Term, error: unknown): void {
    this.pool.emit({ type: 'term-failed', name: this.name, term: number, error });
  }

  /** Waits for the work and its clean-up, but no longer than `stopTimeout`. */
  async #stopped(running: Promise<void>): Promise<void> {
    const late = new Promise<'late'>((resolve) => {
      const stopTimer = this.pool.clock.schedule(this.#options.stopTimeout, () => resolve('late'));
      void running.finally(stopTimer);
    });
    if ((await Promise.race([running, late])) !== 'late') return;
    const all = Promise.all([this.#unfinished, running]).finally(() => {
      if (this.#unfinished === all) this.#unfinished = undefined;
    });
    this.#unfinished = all;
  }

  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#failures - 1));
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stopTimer();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const stopTimer = this.pool.clock.schedule(longest * (0.75 + this.pool.random.fraction() / 4), end);
      signal.addEventListener('abort', end);
    });
  }
}

function optionsOf(options: LeadOptions, pool: Electorate): Required<Omit<LeadOptions, 'signal'>> {
  const where = 'lead options';
  checkNames(options, ['ttl', 'stopTimeout', 'signal'], where);
  checkValues(options, { ttl: ms(1), stopTimeout: ms(0) }, where);
  const { ttl = Math.min(DEFAULTS.ttl, pool.maxTtl), stopTimeout = DEFAULTS.stopTimeout, signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalidValue(`${where}: signal`, signal, 'an AbortSignal');
  return { ttl: locateErrors(where, () => toTtl(ttl, pool)), stopTimeout };
}
