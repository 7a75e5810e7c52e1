import type { Claim } from '../port/claim.js';
import { elapsed, type Moment } from '../time/clock.js';
import { LockLostError } from '../api/errors.js';
import { extendOnce } from './extension.js';
import { holdTermsOf, type HoldTerms, type LeaseContext } from './lease-context.js';
import { RenewalTimer, type Watched } from './renewal-timer.js';
import type { Lock } from '../api/lock.js';
import { LossSignal } from './loss-signal.js';
import { toTtl } from '../api/options.js';
import type { Won } from '../quorum/outcome.js';
import { releaseOrPass } from './release.js';
import type { Entry } from '../collections/roster.js';
import { renewalIn, renewalRetryIn, whyOver } from './renewal.js';
import type { Validity } from '../time/validity.js';

/** The life of a lock: it is taken, extended, and then lost or released. */
export class Lease implements Lock, Entry, Watched {
  rosterIndex = -1;
  readonly resources: readonly string[];
  readonly value: string;
  readonly #claim: Claim;
  readonly #turn: number;
  readonly taken: Moment;
  readonly #terms: HoldTerms;
  readonly #watch: RenewalTimer;
  #state: 'held' | 'released' | 'lost' = 'held';
  #validity: Validity;
  /** Ms that the lease lasts on the nodes at most, counted from the latest extension. */
  #ttl: number;
  #loss: LossSignal | undefined;
  #lastExtension: Promise<void> | undefined;
  #release: Promise<void> | undefined;

  constructor(
    private readonly context: LeaseContext,
    { claim, validity }: Omit<Won, 'kind'>,
    { terms, taken }: { readonly terms: HoldTerms; readonly taken: Moment },
  ) {
    this.#terms = holdTermsOf(terms);
    claim.encoding = undefined;
    this.resources = claim.resources;
    this.value = claim.value;
    this.#claim = claim;
    this.#turn = claim.take(taken);
    this.taken = taken;
    this.#validity = validity;
    this.#ttl = terms.ttl;
    this.#watch = new RenewalTimer(context.pool.timerQueue, this);
    this.#watch.watch(this.#renewalIn(this.#ttl, taken), taken);
  }

  get fencingToken(): number {
    return this.#claim.token + this.#turn;
  }

  get validity(): number {
    return this.remaining();
  }

  get isValid(): boolean {
    return this.validity > 0;
  }

  get signal(): AbortSignal {
    this.#noticeExpiry();
    return (this.#loss ??= new LossSignal()).signal;
  }

  /** Calls `notify` when the lock is lost, which costs less than a signal; returns the function that removes the listener. */
  onLost(notify: (error: LockLostError) => void): () => void {
    return (this.#loss ??= new LossSignal()).listen(notify);
  }

  /** The error that says why the lock was lost, checked on the clock; undefined while the lock is valid and after an ordinary release. */
  get lost(): LockLostError | undefined {
    this.#noticeExpiry();
    return this.#loss?.error;
  }

  assertValid(minimumMs = 0): void {
    if (this.isValid && this.validity >= minimumMs) return;
    const reason = this.#state === 'released' ? 'it was released' : `less than ${minimumMs} ms are left`;
    throw this.lost ?? new LockLostError(this.resources, reason);
  }

  extend(ttl: number = this.#terms.ttl): Promise<void> {
    const extension = (this.#lastExtension ?? Promise.resolve()).then(() => this.#extend(ttl));
    this.#lastExtension = extension.catch(() => undefined);
    return extension;
  }

  release(): Promise<void> {
    return (this.#release ??= this.#giveBack());
  }

  /** Takes the lock away from its holder, and notifies the holder before anybody else can have the lock. */
  revoke(reason: string): Promise<void> {
    this.#lose(reason);
    return this.release();
  }

  /** Ends the lease without a release: the claim is already given back or passed on, or it has become a part of another lock. */
  dissolve(): void {
    this.#state = 'released';
    this.#watch.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  async #extend(wanted: number): Promise<void> {
    const ttl = toTtl(wanted, { driftFactor: this.#terms.driftFactor, maxTtl: this.context.maxTtl });
    this.assertValid();
    const extension = await extendOnce(this.context.pool, {
      claim: this.#claim,
      terms: { ttl, driftFactor: this.#terms.driftFactor },
      onSend: (validity) => this.#prepareFor(validity, ttl),
      isHeld: () => this.isValid,
    });
    if (extension.kind === 'gone') throw this.#lose(extension.reason);
    this.assertValid();
    if (extension.kind === 'unproven') throw extension.error;
    this.#validity = extension.validity;
    this.#ttl = ttl;
    this.#watch.watch(this.#renewalIn());
    this.context.emit({ type: 'extended', resources: this.resources, validity: Math.floor(this.validity) });
  }

  /** Prepares for nodes that apply the new ttl while no quorum answers: a shorter validity counts at once, a longer ttl counts for the release. */
  #prepareFor(validity: Validity, ttl: number): void {
    this.#ttl = Math.max(this.#ttl, ttl);
    if (validity.remaining(this.context.pool.clock) >= this.validity) return;
    this.#validity = validity;
    this.#watch.watch(this.#renewalIn(ttl));
  }

  renew(): void {
    this.#watch.watch();
    this.extend(this.#ttl).catch(() => {
      // A loss has been signalled already. After any other failure, the extension is tried again while validity is left.
      if (this.#state === 'held') this.#watch.watch(this.#unlessHeldTooLong(renewalRetryIn(this.#ttl, this.validity)));
    });
  }

  /** Returns the ms until the lease is extended automatically; Infinity if it is not, or not any more. */
  #renewalIn(ttl = this.#ttl, now = this.context.pool.clock.now()): number {
    if (!this.#terms.autoExtend) return Infinity;
    // A part of the lease is used up if the lock was passed on, or if its holder could not begin at once.
    const delay = renewalIn(ttl, this.context.pool.random) - elapsed(this.#validity.since, now);
    return this.#unlessHeldTooLong(Math.max(0, delay), now);
  }

  #unlessHeldTooLong(delay: number, now = this.context.pool.clock.now()): number {
    return elapsed(this.taken, now) + delay < this.#terms.maxHold ? delay : Infinity;
  }

  remaining(now = this.context.pool.clock.now()): number {
    return this.#state === 'held' ? Math.max(0, this.#validity.remainingAt(now)) : 0;
  }

  #noticeExpiry(now?: Moment): void {
    if (this.#state === 'held' && this.remaining(now) === 0) this.expire();
  }

  expire(): void {
    this.#lose(whyOver(this.#terms, elapsed(this.taken, this.context.pool.clock.now())));
  }

  #lose(reason: string): LockLostError {
    if (this.#state !== 'held') return this.#loss?.error ?? new LockLostError(this.resources, 'it was released');
    const error = new LockLostError(this.resources, reason);
    // The loss is complete before anybody is notified, because a listener may release the lock or ask for it again.
    this.#state = 'lost';
    this.#claim.over = true;
    this.#watch.stop();
    (this.#loss ??= new LossSignal()).happen(error, () => this.context.ended(this));
    this.context.emit({ type: 'lost', resources: this.resources, error });
    return error;
  }

  #giveBack(): Promise<void> {
    const now = this.context.pool.clock.now();
    this.#noticeExpiry(now);
    const wasHeld = this.#state === 'held';
    const [claim, terms, validity] = [this.#claim, this.#terms, this.#validity];
    const call = releaseOrPass(this.context, this, { claim, terms, validity, ttl: this.#ttl, now, since: this.taken });
    if (wasHeld) {
      this.dissolve();
      this.context.ended(this);
    }
    const notify = (): void => {
      if (wasHeld)
        this.context.emit({ type: 'released', resources: this.resources, held: Math.round(elapsed(this.taken, now)) });
    };
    // No async function, because that would take longer than everything else here.
    return call ? call.decision.then(notify) : new Promise((resolve) => resolve(notify()));
  }
}
