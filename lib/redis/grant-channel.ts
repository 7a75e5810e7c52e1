import type { Redis } from 'ioredis';
import { Tidying } from '../core/collections/tidying.js';
import { Claim } from '../core/port/claim.js';
import type { Clock, Moment } from '../core/time/clock.js';
import { ignore } from '../core/time/ignore.js';
import { FAMILIES } from '../core/port/key-families.js';
import type { Encoder } from './batch/batch-encoder.js';
import { secretOf } from './batch/reply-decoder.js';
import type { AwaitedClaim } from './batch/batch-queue.js';
import { AskingAgain } from './connection/asking-again.js';
import { readGrantMessage, secretIn, signatureOf, type GrantMessage } from './grant-signature.js';
import { NonsenseError } from './connection/wire/node-text.js';
import { Strays } from './strays.js';
import type { Reply } from './connection/wire/wire-command.js';

/** How many grants are kept at most until a reply brings the secret that may verify them. */
const MOST_EARLY = 1_000;
/** Characters of a message: a key has at most 512 bytes after its prefix. */
const LONGEST_MESSAGE = 4_096;
/** How many of the latest tokens of a claim are remembered. */
const MOST_TOKENS = 100;

/** What the channel of a process is called, and what the keys of its locks begin with. */
type GrantNames = Pick<Encoder, 'channel' | 'keyPrefix'>;

/** Takes what comes over the channel. */
export interface GrantListener {
  /**
   * Called when the node has given the resource to a claim that waited in its line, not before `since`. A grant that then does not count need not
   * be given back: it ends with its ttl, and asking again finds it.
   */
  granted(claim: Claim, message: GrantMessage, since: Moment | undefined): void;
  /** Returns a moment that is not later than any grant whose message arrives now. */
  notBefore(): Moment | undefined;
  /** Returns the claim that has asked under this value for a place in the line of a resource, and has no answer yet. */
  asking(value: string, resource: string): AwaitedClaim | undefined;
  /**
   * Called when the node has given a resource to a claim with which no caller waits any more; or, if the node is barred because it leads to the
   * server of another node of the pool, to a claim of that node.
   */
  unwanted(claim: Claim): void;
  /** Called when the node cannot notify this process of grants. */
  unavailable(reason: string): void;
}

/** The message of a grant, and what was known about its claim when the message arrived. */
interface HeardGrant {
  readonly message: GrantMessage;
  readonly resource: string;
  readonly asking: Claim | undefined;
  readonly since: Moment | undefined;
}

/** The private channel over which one node notifies one process of its grants, on the connection of the commands. */
export class GrantChannel {
  readonly #waiting = new Map<string, Claim>();
  /** The secret with which the node signs its grants; other clients that can publish do not know it. */
  #secret: string | undefined;
  /** The grants that were not signed with the secret that was known when they arrived. */
  #early: HeardGrant[] = [];
  /** By claim, the tokens of the grants that it was notified of. */
  readonly #tokens = new WeakMap<Claim, readonly number[]>();
  #redis: Redis | undefined;
  readonly #tidying = new Tidying();
  readonly #subscribing: AskingAgain;
  readonly #strays: Strays;
  #canHear = false;
  #reported = false;

  constructor(
    private readonly names: GrantNames,
    clock: Pick<Clock, 'now' | 'schedule'>,
    private readonly listener: GrantListener,
  ) {
    this.#subscribing = new AskingAgain(clock);
    this.#strays = new Strays(clock);
  }

  /** Whether this process would hear of grants, so that claims may be entered into the lines of the node. */
  get canHear(): boolean {
    return this.#canHear;
  }

  /** Subscribes on a new connection, where this has to be the first command. Only RESP3 allows other commands on the same connection. */
  listen(redis: Redis): void {
    if (this.#redis !== redis) redis.on('message', (_channel: string, text: string) => this.#received(redis, text));
    this.#redis = redis;
    this.#subscribing.end('there is a new connection');
    this.#canHear = redis.condition?.protocol === 3;
    if (!this.#canHear) return this.#failed('the node does not speak RESP3, which Redis has from version 6 on');
    this.#early = [];
    this.#subscribing
      .ask(() => this.#subscribe(redis))
      .catch((error: Error) => isRefusal(error) && this.#failed(error.message));
  }

  /** Leaves no timer. */
  close(): void {
    this.#subscribing.close();
  }

  /**
   * Subscribes. A place in line outlives the connection on which it was taken. The reply with the secret may have been lost with that connection,
   * so the secret is read now.
   */
  async #subscribe(redis: Redis): Promise<void> {
    const subscribed = redis.subscribe(this.names.channel);
    const known = this.#secret;
    // Without the secret no grant counts until a reply of the node brings it.
    redis.get(this.names.keyPrefix + FAMILIES.waiting).then((mark) => this.#learn(secretIn(mark), known), ignore);
    await subscribed.catch((error: Error) => {
      // Nobody may stand in line before a busy node has taken the subscription.
      if (isRefusal(error)) this.#canHear = false;
      throw error;
    });
    this.#canHear = true;
    this.#reported = false;
  }

  /** Passes a reply on by `notify`, and after it the grants that came before the reply and that its secret verifies. */
  aroundReply(reply: Reply, notify: () => void): void {
    const secret = secretOf(reply);
    if (secret !== undefined) this.#secret = secret;
    notify();
    if (this.#early.length > 0) this.#hearEarly();
  }

  /** Accepts grants for this claim until it is released or no caller waits with it any more. */
  expect(claim: Claim): void {
    this.#waiting.set(claim.value, claim);
    this.#tidying.check(this.#waiting, () => this.#tidy());
  }

  forget(claim: Claim): void {
    if (this.#waiting.size > 0 && this.#waiting.get(claim.value) === claim) this.#waiting.delete(claim.value);
  }

  /**
   * Removes claims that are over and with which no caller waits, so that locks which were never released are forgotten. A claim that is still
   * held stays: an extension may already have counted a vote that arrives late, and such a vote must not be given back.
   */
  #tidy(): void {
    for (const [value, { place, isOver }] of this.#waiting) {
      if (!place!.isWaiting && isOver) this.#waiting.delete(value);
    }
  }

  #failed(reason: string): void {
    this.#canHear = false;
    if (!this.#reported) this.listener.unavailable(reason);
    this.#reported = true;
  }

  /** Leaves a node whose messages make this process fail, or that sends many which nobody waits for. */
  #received(redis: Redis, text: string): void {
    try {
      this.#heard(text);
      if (this.#strays.isFlood) throw new NonsenseError('it sends messages that nobody waits for');
    } catch (error) {
      // ioredis would throw it again where nobody can catch it.
      const { message } = error as Error;
      redis.stream.destroy(new NonsenseError(message));
    }
  }

  #heard(text: string): void {
    const message = text.length > LONGEST_MESSAGE ? undefined : readGrantMessage(text);
    if (message === undefined) return this.#strays.count();
    const resource = message.key.slice(this.names.keyPrefix.length);
    // Before version 7.2, Redis publishes a grant before it answers the batch that put the claim in line and granted it at once.
    const asking = this.#waitsFor(message.value, resource) ? undefined : this.listener.asking(message.value, resource);
    const since = asking ? asking.since : this.listener.notBefore();
    const heard: HeardGrant = { message, resource, asking: asking?.claim, since };
    if (this.#isSigned(message)) this.#notify(heard);
    else if (this.#early.length < MOST_EARLY) this.#early.push(heard);
    else this.#strays.count();
  }

  /** Returns whether the grant comes from the node, and not from a client that can only publish. */
  #isSigned({ signature, text }: GrantMessage): boolean {
    return this.#secret !== undefined && signature === signatureOf(text, this.#secret);
  }

  /** Takes the secret that was read from the node, unless a reply has brought a newer one since. */
  #learn(secret: string | undefined, known: string | undefined): void {
    if (this.#secret === known) this.#secret = secret ?? known;
    this.#hearEarly();
  }

  /** Passes on the early grants that the secret verifies. The others do not come from the node, and are dropped. */
  #hearEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const heard of early) {
      if (this.#isSigned(heard.message)) this.#notify(heard);
      else this.#strays.count();
    }
  }

  #waitsFor(value: string, resource: string): Claim | undefined {
    const claim = this.#waiting.get(value);
    return claim?.resources[0] === resource ? claim : undefined;
  }

  #notify({ message, resource, asking, since }: HeardGrant): void {
    const { value, fence } = message;
    const claim = this.#waitsFor(value, resource) ?? asking;
    if (claim) {
      // Every grant has a token of its own. A message that repeats a token comes from a client that has only listened to the channel.
      const known = this.#tokens.get(claim) ?? [];
      if (known.length > 0) this.#strays.count();
      if (known.includes(fence)) return;
      this.#tokens.set(claim, [...known.slice(-MOST_TOKENS), fence]);
      this.listener.granted(claim, message, since);
      // The parts of one lock share a value: a late grant for one part is no vote for the part that is waited for by now.
      return;
    }
    this.#strays.count();
    if (!this.#waiting.has(value)) this.listener.unwanted(new Claim([resource], value));
  }
}

/** Returns whether the node refuses something; otherwise the connection broke before the answer, and the next one tries again. */
function isRefusal({ name }: Error): boolean {
  return name === 'ReplyError';
}
