import { setMaxListeners } from 'node:events';
import type { Agenda } from './agenda.js';
import type { LeaseTerms } from './attempt.js';
import type { Claim } from './claim.js';
import { elapsed, type Moment } from './clock.js';
import { LockLostError } from './errors.js';
import type { LockListener } from './events.js';
import { extendOnce } from './extension.js';
import { LeaseWatch } from './lease-watch.js';
import type { Lock } from './lock.js';
import type { NodePool } from './node-pool.js';
import { toTtl, type ResolvedLockOptions } from './options.js';
import { renewalIn, renewalRetryIn } from './renewal.js';
import type { Validity } from './validity.js';

/** What a lease needs of its surroundings. */
export interface LeaseSurroundings {
  readonly pool: NodePool;
  readonly agenda: Agenda;
  readonly emit: LockListener;
  /** Told once, when the lease is over. */
  readonly ended: (lease: Lease) => void;
}

/** The life of a lock: taken, extended, then lost or released. */
export class Lease implements Lock {
  readonly #claim: Claim;
  readonly #taken: Moment;
  readonly #watch: LeaseWatch;
  #state: 'held' | 'released' | 'lost' = 'held';
  #validity: Validity;
  /** Ms that the lease lasts on the nodes from the latest extension on, at most. */
  #ttl: number;
  #lost: LockLostError | undefined;
  #abort: AbortController | undefined;
  #lastExtension: Promise<void> = Promise.resolve();
  #release: Promise<void> | undefined;

  constructor(
    private readonly around: LeaseSurroundings,
    { claim, validity }: { readonly claim: Claim; readonly validity: Validity },
    private readonly terms: LeaseTerms & Pick<ResolvedLockOptions, 'autoExtend' | 'maxHold'>,
  ) {
    this.#claim = claim;
    this.#taken = around.pool.clock.now();
    this.#validity = validity;
    this.#ttl = terms.ttl;
    const renew = (): void => void this.#renew();
    const left = (): number => this.validity;
    this.#watch = new LeaseWatch(around.agenda, { renew, left, expire: () => this.#expire() });
    this.#watch.watch(this.#renewalIn());
  }

  get resources(): readonly string[] {
    return this.#claim.resources;
  }

  get value(): string {
    return this.#claim.value;
  }

  get validity(): number {
    return this.#state === 'held' ? Math.max(0, this.#validity.remaining(this.around.pool.clock)) : 0;
  }

  get isValid(): boolean {
    return this.validity > 0;
  }

  get signal(): AbortSignal {
    this.#noticeExpiry();
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // As many as work under the lock may listen.
      setMaxListeners(0, this.#abort.signal);
      if (this.#lost) this.#abort.abort(this.#lost);
    }
    return this.#abort.signal;
  }

  /** Why the lock was lost, found out on the clock; undefined while it is valid and after an ordinary release. */
  get lost(): LockLostError | undefined {
    this.#noticeExpiry();
    return this.#lost;
  }

  assertValid(minimumMs = 0): void {
    if (this.isValid && this.validity >= minimumMs) return;
    const reason = this.#state === 'released' ? 'it was released' : `less than ${minimumMs} ms are left`;
    throw this.lost ?? new LockLostError(this.resources, reason);
  }

  extend(ttl: number = this.terms.ttl): Promise<void> {
    const extension = this.#lastExtension.then(() => this.#extend(ttl));
    this.#lastExtension = extension.catch(() => undefined);
    return extension;
  }

  release(): Promise<void> {
    this.#release ??= this.#giveBack();
    return this.#release;
  }

  /** Takes the lock away from its holder, who is told before anybody else can have it. */
  revoke(reason: string): Promise<void> {
    this.#lose(reason);
    return this.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  async #extend(wanted: number): Promise<void> {
    const ttl = toTtl(wanted, this.terms.driftFactor);
    this.assertValid();
    const extension = await extendOnce(this.around.pool, {
      claim: this.#claim,
      terms: { ttl, driftFactor: this.terms.driftFactor },
      onSend: (validity) => this.#prepareFor(validity, ttl),
      isHeld: () => this.isValid,
    });
    if (extension.kind === 'gone') throw this.#lose(extension.reason);
    this.assertValid();
    if (extension.kind === 'unproven') throw extension.error;
    this.#validity = extension.validity;
    this.#ttl = ttl;
    this.#watch.watch(this.#renewalIn());
    this.around.emit({ type: 'extended', resources: this.resources, validity: Math.floor(this.validity) });
  }

  /** Some nodes will have the new lease even if too few answer: a shorter one counts at once, a longer one is owed. */
  #prepareFor(validity: Validity, ttl: number): void {
    this.#ttl = Math.max(this.#ttl, ttl);
    if (validity.remaining(this.around.pool.clock) >= this.validity) return;
    this.#validity = validity;
    this.#watch.watch(this.#renewalIn(ttl));
  }

  async #renew(): Promise<void> {
    this.#watch.watch();
    try {
      await this.extend(this.#ttl);
    } catch {
      // Loss has been told by the signal; anything else is tried again within what is left.
      if (this.#state === 'held') this.#watch.watch(this.#unlessHeldTooLong(renewalRetryIn(this.#ttl, this.validity)));
    }
  }

  /** Ms until the lease is to be extended; never where it is not, or not any more. */
  #renewalIn(ttl = this.#ttl): number {
    if (!this.terms.autoExtend) return Infinity;
    return this.#unlessHeldTooLong(renewalIn(ttl, this.around.pool.random));
  }

  #unlessHeldTooLong(delay: number): number {
    return this.#held() + delay < this.terms.maxHold ? delay : Infinity;
  }

  /** Ms since the lock was taken. */
  #held(): number {
    return elapsed(this.#taken, this.around.pool.clock.now());
  }

  #noticeExpiry(): void {
    if (this.#state === 'held' && this.validity === 0) this.#expire();
  }

  #expire(): void {
    const { autoExtend, maxHold } = this.terms;
    const heldTooLong = autoExtend && this.#held() >= maxHold;
    this.#lose(heldTooLong ? `extended for maxHold, ${maxHold} ms, and no longer` : 'its lease ran out');
  }

  #lose(reason: string): LockLostError {
    if (this.#state !== 'held') return this.#lost ?? new LockLostError(this.resources, 'it was released');
    this.#lost = new LockLostError(this.resources, reason);
    this.#end('lost');
    this.#abort?.abort(this.#lost);
    this.around.emit({ type: 'lost', resources: this.resources, error: this.#lost });
    return this.#lost;
  }

  #end(state: 'released' | 'lost'): void {
    this.#state = state;
    this.#watch.stop();
    this.around.ended(this);
  }

  async #giveBack(): Promise<void> {
    this.#noticeExpiry();
    const ballot = this.around.pool.release(this.#claim, this.#ttl);
    const wasHeld = this.#state === 'held';
    const held = Math.round(this.#held());
    if (wasHeld) this.#end('released');
    await ballot.decision;
    if (wasHeld) this.around.emit({ type: 'released', resources: this.resources, held });
  }
}
