import type { Claim } from '../../core/port/claim.js';
import type { Clock, Moment } from '../../core/time/clock.js';
import type { Question } from '../../core/port/lock-node.js';
import { Batch, type Verb } from './batch.js';
import type { Reply } from '../connection/wire-command.js';

/** How many keys one script call may have at most: measured so that it holds a Redis for less than a ms. */
const MOST_KEYS = 128;
/** Characters: how long the names in one script call may be at most. */
const MOST_LENGTH = 64 * 1_024;

/** Where batches go, and the answers to them. */
export interface BatchCarrier extends Pick<Clock, 'nextTurn'> {
  /** Sends a batch by script text or by its hash; returns when it was sent. */
  send(batch: Batch, command: 'eval' | 'evalsha', settle: (reply: Reply) => void): Moment | undefined;
  /** Takes the reply to a batch. */
  settle(batch: Batch, reply: Reply): void;
}

/** A claim that is asking for a place in line, and since when, at least, a node may have heard of it. */
export interface Asking {
  readonly claim: Claim;
  readonly since: Moment;
}

/**
 * Collects the operations that are asked for while the event loop handles what has arrived into batches, and keeps their order
 * whatever the node forgot.
 */
export class BatchQueue {
  #open: Batch | undefined;
  /** Full batches that are still to be sent, and those that wait until the node knows the script again. */
  #waiting: Batch[] = [];
  /** Sent to a node that did not know the script. */
  #refused: Batch[] = [];
  /** How many of these a later batch has overtaken: another process had made the node know the script again. */
  #overtaken = 0;
  /** Sent and not answered, the oldest first. An array, since a set that changes this often keeps garbage alive in V8. */
  readonly #underWay: Batch[] = [];

  readonly #flush = (): void => this.flush();

  constructor(private readonly carrier: BatchCarrier) {}

  /** Whether something waits to be sent already. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  add(verb: Verb, question: Question<never>, nodeIndex: number): void {
    if (this.#open === undefined) {
      this.#open = new Batch();
      // Behind all that has arrived: what two hundred requests on two hundred sockets ask for is one batch, not two hundred.
      this.carrier.nextTurn(this.#flush);
    }
    this.#open.add(verb, question, nodeIndex);
    if (this.#open.keyCount < MOST_KEYS && this.#open.length < MOST_LENGTH) return;
    this.#waiting.push(this.#open);
    this.#open = new Batch();
  }

  /** Who asks under this value for a place in the line of a resource, without an answer so far. */
  asking(value: string, resource: string): Asking | undefined {
    for (const batch of this.#underWay) {
      const claim = batch.waiter(value, resource);
      if (claim && batch.sent) return { claim, since: batch.sent };
    }
    return undefined;
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

  /** What was refused comes first; until the last word on it is there, nothing may overtake it. */
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
    this.#leave(batch);
    if (!reply.ok && reply.reason.startsWith('NOSCRIPT')) {
      this.#refused.push(batch);
    } else {
      if (reply.ok) this.#overtaken = this.#refused.length;
      this.carrier.settle(batch, reply);
    }
    if (this.#underWay.length === 0 && this.#refused.length > 0) this.#sendRefused();
  }

  /** Replies come in the order of the batches. */
  #leave(batch: Batch): void {
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

  /** Whatever else it asks could come after its own release if it was sent now. */
  #releasesOf(batch: Batch): Batch {
    const { releases, rest } = batch.split();
    this.carrier.settle(rest, { ok: false, reason: 'the node did not know the script', sent: false });
    return releases;
  }
}
