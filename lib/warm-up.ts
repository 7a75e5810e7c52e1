import type { Clock } from './core/time/clock.js';
import type { LockEvent } from './core/api/events.js';
import type { AcquireAnswer, LockNode, Question, ReleaseAnswer, Unknown } from './core/port/lock-node.js';
import { Redlock } from './core/redlock.js';
import { SystemClock } from './core/time/system-clock.js';

const NODES = 5;
const DOWN: Unknown = { kind: 'unknown', reason: 'down', sent: false };
/** Enough rounds for V8 to fill its inline caches, and too few for it to compile the code. */
const ROUNDS = 30;

/** Returns a clock that stands still: no timer ever fires, and no answer ever comes too late. */
function stillClock(): Clock {
  const now = new SystemClock().now();
  return { now: () => now, schedule: () => ignore, afterInput: ignore, nextTurn: soon, afterMicrotasks: soon };
}

/** A fake node that says yes to whatever it is asked, unless it is set to be down or silent. */
class YesNode implements LockNode {
  readonly name = 'specimen';
  isDown = false;
  isSilent = false;

  acquire(question: Question<AcquireAnswer>, nodeIndex: number): void {
    question.claim.noteSent(this, !this.isDown);
    this.#answer(question, nodeIndex, { kind: 'granted', fence: question.proposal, oldest: Infinity });
  }

  release(question: Question<ReleaseAnswer>, nodeIndex: number): void {
    this.#answer(question, nodeIndex, { kind: 'released' });
  }

  extend = ignore;
  raise = ignore;
  yield = ignore;
  probe = ignore;
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
 * Keeps at least one object of each kind that a lock is made of, in each of its states: requested, waiting, held and given back. When a full
 * garbage collection finds no object of a hidden class, V8 drops that hidden class and discards all code that it had compiled for it. That
 * would happen to a service without any lock at that moment, and its next locks would run uncompiled.
 */
export class WarmUp {
  /** Never read: the objects only have to stay alive. */
  readonly #kept: unknown[] = [];
  readonly #events = new Map<string, LockEvent>();

  async collect(): Promise<void> {
    const nodes = Array.from({ length: NODES }, () => new YesNode());
    const listener = (event: LockEvent): unknown => this.#events.set(event.type, event);
    const redlock = new Redlock({ nodes, clock: stillClock(), listener });
    const [held, released, last] = await Promise.all(['held', 'released', 'left'].map((name) => redlock.acquire(name)));
    const waiting = redlock.acquire('held');
    await released!.release();
    await meetOutages(redlock, nodes);
    for (const node of nodes) node.isSilent = true;
    this.#kept.push(redlock, held, waiting, redlock.acquire('asked'), last!.release());
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

function ignore(): void {
  // A fake node and a clock that stands still have nothing to do.
}

/** Runs a task in a microtask; not by `queueMicrotask`, which a test may have replaced. */
function soon(task: () => void): void {
  void Promise.resolve().then(task);
}
