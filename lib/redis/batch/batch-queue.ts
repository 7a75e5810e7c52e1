import type { Claim } from '../../core/port/claim.js';
import type { Clock, Moment } from '../../core/time/clock.js';
import type { Question } from '../../core/port/lock-node.js';
import type { Reply } from '../connection/wire/wire-command.js';
import type { Verb } from '../scripts/protocol.js';
import { Batch, weightOf } from './batch.js';

/**
 * How many keys one script call may have at most, where the key of a release counts twice because the release may serve a waiter: measured so that
 * the call keeps Redis busy for less than a ms.
 */
const MOST_KEYS = 128;
/** How many characters the names in one script call may have in all. */
const MOST_LENGTH = 64 * 1_024;

/** Sends batches, and takes the replies to them. */
export interface BatchCarrier extends Pick<Clock, 'nextTurn'> {
  /** Sends a batch by script text or by its hash; returns when it was sent. */
  send(batch: Batch, command: 'eval' | 'evalsha', settle: (reply: Reply) => void): Moment | undefined;
  /** Takes the reply to a batch. */
  settle(batch: Batch, reply: Reply): void;
}

/** A claim that asks for a place in line, and the earliest moment at which a node may have received it. */
export interface AwaitedClaim {
  readonly claim: Claim;
  readonly since: Moment;
}

/**
 * Collects into batches the operations that are requested while the event loop handles its input. Keeps their order even if the node
 * has forgotten the script.
 */
export class BatchQueue {
  #open: Batch | undefined;
  /** Full batches that are still to be sent, and batches that wait until the node knows the script again. */
  #waiting: Batch[] = [];
  /** Batches that were sent to a node that did not know the script. */
  #refused: Batch[] = [];
  /** How many of these were overtaken by a later batch, because another process had sent the script to the node. */
  #overtaken = 0;
  /** Batches that are sent and not answered, the oldest first. */
  readonly #underWay: Batch[] = [];
  /** The batch that was answered last. */
  #latest: Batch | undefined;

  readonly #flush = (): void => this.flush();

  constructor(private readonly carrier: BatchCarrier) {}

  /** Whether operations are already waiting to be sent. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  add(verb: Verb, question: Question<never>, nodeIndex: number): void {
    if (this.#open === undefined) {
      this.#open = new Batch();
      // After all input that has arrived, so that two hundred requests on two hundred sockets become one batch and not two hundred.
      this.carrier.nextTurn(this.#flush);
    }
    const weight = weightOf(verb, question.claim.resources.length);
    if (this.#open.weight + weight > MOST_KEYS || this.#open.length >= MOST_LENGTH) {
      if (this.#open.keyCount > 0) this.#waiting.push(this.#open);
      this.#open = new Batch();
    }
    this.#open.add(verb, question, nodeIndex);
  }

  /** Returns the claim that asks under this value for a place in the line of a resource, and has no answer yet. */
  asking(value: string, resource: string): AwaitedClaim | undefined {
    for (const batch of this.#underWay) {
      const claim = batch.waiter(value, resource);
      if (claim && batch.sent) return { claim, since: batch.sent };
    }
    return undefined;
  }

  /**
   * Returns whether the latest answer is about a vote on this resource under this value. From version 7.2 on, Redis sends the grants of a batch
   * after its answer. Example: one batch releases `a`, so that a waiter gets it, then gives back the place of this waiter, and then asks for `a`
   * under the same value again. The message of the first grant comes last, when the waiter already has a newer vote.
   */
  hasJustAskedFor({ value, resources }: Claim): boolean {
    return this.#latest?.asksFor(value, resources[0]!) ?? false;
  }

  /** Sends what was collected. */
  flush(): void {
    const last = this.#open;
    this.#open = undefined;
    if (this.#waiting.length > 0) this.#sendWaiting();
    if (last === undefined || last.keyCount === 0) return;
    if (this.#refused.length > 0) this.#waiting.push(last);
    else this.#send(last, 'evalsha');
  }

  /** Sends the waiting batches, unless refused batches have to be sent first: nothing may overtake those. */
  #sendWaiting(): void {
    if (this.#refused.length > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const batch of waiting) this.#send(batch, 'evalsha');
  }

  #send(batch: Batch, command: 'eval' | 'evalsha'): void {
    this.#underWay.push(batch);
    batch.sent = this.carrier.send(batch, command, (reply) => this.#answered(batch, reply));
  }

  #answered(batch: Batch, reply: Reply): void {
    this.#forget(batch);
    if (!reply.ok && reply.reason.startsWith('NOSCRIPT')) {
      this.#refused.push(batch);
    } else {
      if (reply.ok) this.#overtaken = this.#refused.length;
      this.#latest = batch;
      this.carrier.settle(batch, reply);
    }
    if (this.#underWay.length === 0 && this.#refused.length > 0) this.#sendRefused();
  }

  /** Removes a batch that was answered: usually the first one, because replies come in the order of the batches. */
  #forget(batch: Batch): void {
    if (this.#underWay[0] === batch) this.#underWay.shift();
    else this.#underWay.splice(this.#underWay.indexOf(batch), 1);
  }

  #sendRefused(): void {
    const overtaken = this.#overtaken;
    const refused = this.#refused.map((batch, index) => (index < overtaken ? this.#releasesOf(batch) : batch));
    this.#refused = [];
    this.#overtaken = 0;
    const asked = refused.filter(({ keyCount }) => keyCount > 0);
    asked.forEach((batch, index) => this.#send(batch, index === 0 ? 'eval' : 'evalsha'));
    this.#sendWaiting();
  }

  /**
   * Returns the releases of an overtaken batch. Its other operations are answered as not sent, because they could now arrive after the
   * release that belongs to them.
   */
  #releasesOf(batch: Batch): Batch {
    const { releases, rest } = batch.split();
    this.carrier.settle(rest, { ok: false, reason: 'the node did not know the script', sent: false });
    return releases;
  }
}
