import { elapsed, type Moment } from '../time/clock.js';
import { LockLostError, type LockLossReason } from '../api/errors.js';
import { extendOnce } from './extension.js';
import type { LeaseContext, TrackedLease } from './lease-context.js';
import { Link } from '../collections/linked-list.js';
import { LossSignal } from './loss-signal.js';
import { toTtl } from '../api/options.js';
import type { Won } from '../quorum/outcome/outcome.js';
import type { OwnClaim } from '../quorum/own-claim.js';
import { releaseOrPass } from './release.js';
import { RenewalTimer, type HoldTerms } from './renewal.js';
import type { Validity } from '../time/validity.js';

/** The life of a held lock: it is extended, and then passed on, released or lost. Its holder sees it as a `HeldLock`. */
export class Lease extends RenewalTimer implements TrackedLease {
  readonly tracked: Link<TrackedLease> = new Link(this);
  readonly resources: readonly string[];
  readonly value: string;
  readonly #claim: OwnClaim;
  /** How often the claim was passed on before this lease. */
  readonly #passes: number;
  /** When the first holder of this process got the claim. */
  readonly #firstTaken: Moment;
  #state: 'held' | 'released' | 'lost' = 'held';
  #validity: Validity;
  #loss: LossSignal | undefined;
  #lastExtension: Promise<void> | undefined;
  #release: Promise<void> | undefined;

  constructor(
    context: LeaseContext,
    { claim, validity, passes = 0, firstTaken }: Omit<Won, 'kind'>,
    { terms, taken }: { readonly terms: HoldTerms; readonly taken: Moment },
  ) {
    super(context, terms, taken);
    this.resources = claim.resources;
    this.value = claim.value;
    this.#claim = claim;
    this.#passes = passes;
    this.#firstTaken = firstTaken ?? taken;
    this.#validity = validity;
    this.watch(terms.ttl, validity.since, taken);
  }

  get fencingToken(): number {
    return this.#claim.token + this.#passes;
  }

  /** Ms left of the lease; 0 once it is over. */
  get validity(): number {
    return this.remainingAt(this.#now());
  }

  get signal(): AbortSignal {
    this.#noticeExpiry(this.#now());
    return (this.#loss ??= new LossSignal()).signal;
  }

  /** Calls `notify` when the lock is lost, which costs less than a signal; returns the function that removes the listener. */
  onLost(notify: (error: LockLostError) => void): () => void {
    return (this.#loss ??= new LossSignal()).listen(notify);
  }

  /** The error that says why the lock was lost, checked on the clock; undefined while the lock is valid and after an ordinary release. */
  get lost(): LockLostError | undefined {
    this.#noticeExpiry(this.#now());
    return this.#loss?.error;
  }

  assertValid(minimumMs = 0): void {
    const { validity } = this;
    if (validity > 0 && validity >= minimumMs) return;
    throw this.lost ?? (this.#state === 'released' ? this.#released : this.#tooShort(minimumMs));
  }

  extend(ttl: number = this.terms.ttl): Promise<void> {
    const { trace } = this.context;
    const extension = (this.#lastExtension ?? Promise.resolve()).then(() =>
      trace ? trace.extend(this, () => this.#extend(ttl)) : this.#extend(ttl),
    );
    this.#lastExtension = extension.catch(() => undefined);
    return extension;
  }

  release(): Promise<void> {
    return (this.#release ??= this.within(() => this.#end(this.#now())));
  }

  revoke(reason: LockLossReason, why: string): Promise<void> {
    this.expire(reason, why);
    return this.release();
  }

  /** Runs `work` as a part of the hold, for whoever observes it. */
  within<T>(work: () => T): T {
    const { trace } = this.context;
    return trace ? trace.within(work) : work();
  }

  /** Ends the lease without a release: the claim is already given back or passed on, or it has become a part of another lock. */
  dissolve(): void {
    this.#state = 'released';
    this.stopTimer();
  }

  protected override get isHeld(): boolean {
    return this.#state === 'held';
  }

  protected override remainingAt(now: Moment): number {
    return this.isHeld ? Math.max(0, this.#validity.remainingAt(now)) : 0;
  }

  protected override renew(): Promise<void> {
    return this.extend(this.ttl);
  }

  protected override expire(reason: LockLossReason, why: string): LockLostError {
    if (!this.isHeld) return this.#loss?.error ?? this.#released;
    const error = new LockLostError(this.resources, reason, why);
    // The loss is complete before anybody is notified, because a listener may release the lock or ask for it again.
    this.#state = 'lost';
    this.#claim.finish();
    this.stopTimer();
    (this.#loss ??= new LossSignal()).happen(error, () => this.#makeWay());
    this.context.emit({ type: 'lost', resources: this.resources, fencingToken: this.fencingToken, error });
    return error;
  }

  async #extend(wanted: number): Promise<void> {
    const { driftFactor } = this.terms;
    const ttl = toTtl(wanted, { driftFactor, maxTtl: this.context.maxTtl });
    this.assertValid();
    const extension = await extendOnce(this.context.pool, {
      claim: this.#claim,
      terms: { ttl, driftFactor },
      onSend: (validity) => this.#prepareFor(validity, ttl),
      isHeld: () => this.validity > 0,
    });
    if (extension.kind === 'gone') throw this.expire('nodes', extension.reason);
    this.assertValid();
    if (extension.kind === 'unproven') throw extension.error;
    this.#validity = extension.validity;
    this.isUnconfirmed = false;
    this.ttl = ttl;
    this.watch(ttl, extension.validity.since, this.#now());
    this.context.emit({ type: 'extended', resources: this.resources, validity: Math.floor(this.validity) });
  }

  /** Prepares for nodes that apply the new ttl while no quorum answers: a shorter validity counts at once, a longer ttl counts for the release. */
  #prepareFor(validity: Validity, ttl: number): void {
    const now = this.#now();
    this.mayLast(ttl);
    this.isUnconfirmed = true;
    if (validity.remainingAt(now) >= this.remainingAt(now)) return;
    this.#validity = validity;
    this.watch(ttl, validity.since, now);
  }

  get #released(): LockLostError {
    return new LockLostError(this.resources, 'released', 'it was released');
  }

  #tooShort(minimumMs: number): LockLostError {
    return new LockLostError(this.resources, 'ttl', `less than ${minimumMs} ms are left`);
  }

  #now(): Moment {
    return this.context.pool.clock.now();
  }

  #noticeExpiry(now: Moment): void {
    if (this.isHeld && this.remainingAt(now) === 0) this.expireAt(now);
  }

  /** The callers that wait for the lock need not wait any more, and neither does a shutdown. */
  #makeWay(): void {
    this.context.callers.lockIsOver(this);
    this.context.shutdown.over(this);
  }

  #end(now: Moment): Promise<void> {
    this.#noticeExpiry(now);
    const wasHeld = this.isHeld;
    const { taken, resources, fencingToken, terms, ttl, longestTtl } = this;
    const won = {
      kind: 'won',
      claim: this.#claim,
      validity: this.#validity,
      passes: this.#passes,
      firstTaken: this.#firstTaken,
    } as const;
    const asked = releaseOrPass(this.context, this, { won, terms, ttl, longestTtl, now, taken });
    if (asked) this.#claim.finish();
    if (wasHeld) {
      this.dissolve();
      this.#makeWay();
    }
    const letEnd = asked && this.context.pool.clock.keepAlive?.();
    const notify = (): void => {
      letEnd?.();
      if (!wasHeld) return;
      this.context.emit({ type: 'released', resources, fencingToken, held: Math.round(elapsed(taken, now)) });
    };
    // No async function, because that would take longer than everything else here.
    return asked ? asked.decision.then(notify) : new Promise((resolve) => resolve(notify()));
  }
}
