import type { Redis } from 'ioredis';
import { Claim, type Grant } from '../core/port/claim.js';
import type { Moment } from '../core/time/clock.js';
import { FAMILIES } from '../core/port/key-families.js';
import { secretOf } from './batch/reply-decoder.js';
import type { Asking } from './batch/batch-queue.js';
import { readGrant, secretIn, signatureOf, type SignedGrant } from './grant-signature.js';
import type { Reply } from './connection/wire-command.js';

const TIDY_FROM = 1_000;
/** How many grants wait at most for a reply that may prove them. */
const MOST_EARLY = 1_000;

/** What a node says of a grant. */
export interface GrantSigns extends Omit<Grant, 'since'> {
  /** What time it had then, ms. */
  readonly clock?: number | undefined;
}

/** Told what comes over the channel. */
export interface GrantListener {
  /** The node gave the resource to a claim that waited in its line. */
  granted(claim: Claim, grant: GrantSigns, since: Moment | undefined): void;
  /** When the latest command was sent that has been answered: what the node tells now is not older. */
  since(): Moment | undefined;
  /** Who has asked under this value for a place in the line of a resource, and has no answer so far. */
  asking(value: string, resource: string): Asking | undefined;
  /** The node gave a resource to a claim that nobody waits with any more. */
  unwanted(claim: Claim): void;
  /** The node cannot tell us of grants. */
  unavailable(reason: string): void;
}

/** A grant, and how it was to be understood when it was heard. */
interface Heard {
  readonly grant: SignedGrant;
  readonly resource: string;
  readonly asking: Claim | undefined;
  readonly since: Moment | undefined;
}

/** The private channel over which one node tells one process what it was given, on the connection of its commands. */
export class GrantChannel {
  readonly #waiting = new Map<string, Claim>();
  /** By which the node signs what it tells; other clients that can publish do not know it. */
  #secret: string | undefined;
  /** What was not signed by a secret that was known so far. */
  #early: Heard[] = [];
  /** Those of the grants that each claim was told of. */
  readonly #tokens = new WeakMap<Claim, readonly number[]>();
  #redis: Redis | undefined;
  #tidyAt = TIDY_FROM;
  #usable = false;
  #told = false;

  constructor(
    private readonly name: string,
    private readonly keyPrefix: string,
    private readonly listener: GrantListener,
  ) {}

  /** Whether a claim may be entered into the line of the node. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Subscribes on a new connection, which must be its first command. Only RESP3 takes other commands beside it. */
  listen(redis: Redis): void {
    if (this.#redis !== redis) redis.on('message', (_channel: string, message: string) => this.#heard(message));
    this.#redis = redis;
    this.#usable = redis.condition?.protocol === 3;
    if (!this.#usable) return this.#failed('the node does not speak RESP3, which Redis has from version 6 on');
    redis.subscribe(this.name).then(
      () => (this.#told = false),
      (error: Error) => this.#refused(error),
    );
    // Places in line outlive the connection on which they were taken, perhaps unheard of.
    this.#early = [];
    const known = this.#secret;
    redis.get(this.keyPrefix + FAMILIES.waiting).then((mark) => this.#learn(secretIn(mark), known), ignore);
  }

  /** Tells what a reply says by `tell`, and then of grants that came before it and are proved by it. */
  settle(reply: Reply, tell: () => void): void {
    const secret = secretOf(reply);
    if (secret !== undefined) this.#secret = secret;
    tell();
    if (this.#early.length > 0) this.#hearEarly();
  }

  /** Grants for this claim are wanted, until it is released or nobody waits for it any more. */
  expect(claim: Claim): void {
    this.#waiting.set(claim.value, claim);
    if (this.#waiting.size >= this.#tidyAt) this.#tidy();
  }

  forget(claim: Claim): void {
    if (this.#waiting.size > 0 && this.#waiting.get(claim.value) === claim) this.#waiting.delete(claim.value);
  }

  /**
   * Whenever their number has doubled: often enough to forget locks that nobody released, too seldom to cost. What is still held
   * stays: a vote for it that comes late was perhaps counted by an extension, and must not be given back.
   */
  #tidy(): void {
    for (const [value, { ticket, over }] of this.#waiting) {
      if (!ticket!.isTaken && over) this.#waiting.delete(value);
    }
    this.#tidyAt = Math.max(TIDY_FROM, 2 * this.#waiting.size);
  }

  /** A connection that breaks under way is no refusal: the next one tries again. */
  #refused(error: Error): void {
    if (error.name === 'ReplyError') this.#failed(error.message);
  }

  #failed(reason: string): void {
    this.#usable = false;
    if (!this.#told) this.listener.unavailable(reason);
    this.#told = true;
  }

  #heard(message: string): void {
    const grant = readGrant(message);
    if (grant === undefined) return;
    const resource = grant.key.slice(this.keyPrefix.length);
    // Redis before 7.2 tells of a grant before it answers the batch by which both came about: that the claim waits, and that it is its turn.
    const asking = this.#waitsFor(grant.value, resource) ? undefined : this.listener.asking(grant.value, resource);
    const since = asking ? asking.since : this.listener.since();
    const heard: Heard = { grant, resource, asking: asking?.claim, since };
    if (this.#isSigned(grant)) this.#tell(heard);
    else if (this.#early.length < MOST_EARLY) this.#early.push(heard);
  }

  /** What was told by the node, and not by somebody who only can publish. */
  #isSigned({ signature, text }: SignedGrant): boolean {
    return this.#secret !== undefined && signature === signatureOf(text, this.#secret);
  }

  /** Whatever was said since is newer. */
  #learn(secret: string | undefined, known: string | undefined): void {
    if (this.#secret === known) this.#secret = secret ?? known;
    this.#hearEarly();
  }

  /** What is not proved now was told by somebody else, and nothing comes of it. */
  #hearEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const heard of early) if (this.#isSigned(heard.grant)) this.#tell(heard);
  }

  #waitsFor(value: string, resource: string): Claim | undefined {
    const claim = this.#waiting.get(value);
    return claim?.resources[0] === resource ? claim : undefined;
  }

  #tell({ grant: { value, fence, oldest, clock }, resource, asking, since }: Heard): void {
    const claim = this.#waitsFor(value, resource) ?? asking;
    if (claim) {
      // Each comes with a token of its own: a client that says it once more has only heard it.
      const known = this.#tokens.get(claim) ?? [];
      if (known.includes(fence)) return;
      this.#tokens.set(claim, [...known, fence]);
      this.listener.granted(claim, { fence, oldest, clock }, since);
      // Parts of one lock share a value: what comes late for one of them is no vote for the other that is waited for by now.
    } else if (!this.#waiting.has(value)) this.listener.unwanted(new Claim([resource], value));
  }
}

function ignore(): void {
  // Who does not know the secret hears of no grant until a node has said it.
}
