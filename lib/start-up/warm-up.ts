import { Command } from 'ioredis';
import type { LockEvent } from '../core/api/events.js';
import { Claim } from '../core/port/claim.js';
import type { AcquireAnswer, LockNode, Question, ReleaseAnswer, Unknown } from '../core/port/lock-node.js';
import { SingleCall } from '../core/port/single-call.js';
import { Redlock } from '../core/redlock.js';
import type { Clock } from '../core/time/clock.js';
import { ignore } from '../core/time/ignore.js';
import { SystemClock } from '../core/time/system-clock.js';
import { Batch } from '../redis/batch/batch.js';
import { PendingReplies } from '../redis/connection/wire/pending-replies.js';
import { WireCommand } from '../redis/connection/wire/wire-command.js';
import { VERB, type Verb } from '../redis/scripts/protocol.js';
import { soon } from '../core/time/real-time.js';

const NODES = 5;
const DOWN: Unknown = { kind: 'unknown', reason: 'down', sent: false };
/** Enough rounds for V8 to fill its inline caches, and too few for it to compile the code. */
const ROUNDS = 30;
/** Of all kinds: V8 distinguishes small integers, great numbers (those with the clock of the node) and other values. */
const ANSWERS = ['text', 1, 2 ** 50];

/** Returns a clock that stands still: no timer ever fires, and no answer ever comes too late. */
function stillClock(): Clock {
  const now = new SystemClock().now();
  return { now: () => now, schedule: () => ignore, afterInput: ignore, nextTurn: soon };
}

/** A fake node that says yes to whatever it is asked, unless it is set to be down or silent. */
class YesNode implements LockNode {
  readonly name = 'specimen';
  isDown = false;
  isSilent = false;

  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void {
    this.#answer(question, nodeIndex, { kind: 'granted', fence: question.proposal, oldest: Infinity });
  }

  release(question: Question<ReleaseAnswer>, nodeIndex: number): void {
    this.#answer(question, nodeIndex, { kind: 'released' });
  }

  extend = ignore;
  raise = ignore;
  yield = ignore;
  probe = ignore;
  noteOf = ignore;
  open = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => Promise.resolve();

  #answer<A>(question: Question<A>, nodeIndex: number, usual: A): void {
    if (this.isSilent) return;
    const answer = this.isDown ? DOWN : usual;
    // By a promise, because tests of applications may replace `queueMicrotask`.
    void Promise.resolve().then(() => question.answer(nodeIndex, answer));
  }
}

/**
 * Keeps at least one object of each kind that a lock is made of, in each of its states: requested, waiting, held and given back; and one of
 * each kind that goes to a node. When a full garbage collection finds no object of a hidden class, V8 drops that hidden class and discards
 * all code that it had compiled for it.
 *
 * It is for a service that has no lock for a moment, which is when V8 likes to collect: its next locks would run uncompiled. In the 0.6 s after
 * such a collection, a lock costs 45 to 77 % more processor time without it, and the 99th percentile of its duration is twice as long. To measure
 * that, build the library without the call of `collect`, and compare both builds, since the bench collects before each measurement:
 * `npm run bench -- --only alone --quick --candidates ours --library <index.js>`.
 */
export class WarmUp {
  /** Never read: the objects only have to stay alive. */
  readonly #kept: unknown[] = [];
  readonly #events = new Map<string, LockEvent>();

  async collect(): Promise<void> {
    this.#keepCommands();
    await this.#keepLocks();
  }

  async #keepLocks(): Promise<void> {
    const nodes = Array.from({ length: NODES }, () => new YesNode());
    const listener = (event: LockEvent): unknown => this.#events.set(event.type, event);
    const redlock = new Redlock({ nodes, clock: stillClock(), listener, isUnobserved: true });
    const [held, released, last] = await Promise.all(['held', 'released', 'left'].map((name) => redlock.acquire(name)));
    const waiting = redlock.acquire('held');
    await released!.release();
    await meetOutages(redlock, nodes);
    for (const node of nodes) node.isSilent = true;
    this.#kept.push(redlock, held, waiting, redlock.acquire('asked'), last!.release());
  }

  #keepCommands(): void {
    const replies = new PendingReplies(ignore);
    const now = new SystemClock().now();
    const keepReply = (reply: unknown): unknown => this.#kept.push(reply);
    const ours = (): Command => new WireCommand('specimen', '', replies.add(now, keepReply));
    // Commands of ioredis itself, too: when it connected, they went through the same functions as ours.
    for (const make of [() => new Command('specimen'), ours]) {
      this.#kept.push(make(), written(make()), ...ANSWERS.map((answer) => answered(written(make()), answer)));
    }
    for (const batch of [batchOf(), batchOf(VERB.acquire), batchOf(VERB.acquire, VERB.release, VERB.release)]) {
      batch.sent = now;
      this.#kept.push(batch);
    }
    this.#kept.push(replies, batchOf(VERB.acquire));
  }
}

/**
 * Takes locks while a node is down. Otherwise V8 would compile the code for nodes that are up only, discard it at the first outage, and run
 * uncompiled code for a while.
 */
async function meetOutages(redlock: Redlock, nodes: readonly YesNode[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const node = nodes[round % nodes.length]!;
    node.isDown = true;
    const lock = await redlock.acquire('down');
    await lock.release();
    node.isDown = false;
  }
}

function batchOf(...verbs: Verb[]): Batch {
  const batch = new Batch();
  for (const verb of verbs) batch.add(verb, new SingleCall(new Claim(['specimen'], ''), 0), 0);
  return batch;
}

/** Brings a command into the state in which ioredis leaves it. */
function written(command: Command): Command {
  command.setReplyContext({});
  command.toWritable({});
  command.isTraced = true;
  return command;
}

function answered(command: Command, answer: unknown): Command {
  command.resolve(answer);
  return command;
}
