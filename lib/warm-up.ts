import type { Clock } from './core/time/clock.js';
import type { LockEvent } from './core/api/events.js';
import type { AcquireAnswer, LockNode, Question, ReleaseAnswer, Unknown } from './core/port/lock-node.js';
import { Redlock } from './core/redlock.js';
import { SystemClock } from './core/time/system-clock.js';

const NODES = 5;
const DOWN: Unknown = { kind: 'unknown', reason: 'down', sent: false };
/** Enough for V8 to note what it meets, and too few to have it compiled. */
const ROUNDS = 30;

/** A clock that stands still: nothing is ever due, and nothing is ever too slow. */
function stillClock(): Clock {
  const now = new SystemClock().now();
  return { now: () => now, schedule: () => ignore, afterInput: ignore, nextTurn: soon, afterMicrotasks: soon };
}

/** A node in name only: says yes to whatever it is asked, unless it is to be down or silent. */
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
    // By a promise, since tests of applications may replace `queueMicrotask`.
    void Promise.resolve().then(() => question.answer(nodeIndex, answer));
  }
}

/**
 * One of each object that a lock is made of: asked for, waiting, held and given back. At a full garbage collection V8 forgets what
 * objects look like of which none is left, and throws away all code that was compiled for them: that of a service which has no
 * lock at that moment, and has to run uncompiled then.
 */
export class WarmUp {
  /** Read by nobody: it is enough that they are there. */
  readonly #kept: unknown[] = [];
  readonly #events = new Map<string, LockEvent>();

  async collect(): Promise<void> {
    const nodes = Array.from({ length: NODES }, () => new YesNode());
    const listener = (event: LockEvent): unknown => this.#events.set(event.type, event);
    const redlock = new Redlock({ nodes, clock: stillClock(), listener });
    const [held, released, left] = await Promise.all(['held', 'released', 'left'].map((name) => redlock.acquire(name)));
    const waiting = redlock.acquire('held');
    await released!.release();
    await meetOutages(redlock, nodes);
    for (const node of nodes) node.isSilent = true;
    this.#kept.push(redlock, held, waiting, redlock.acquire('asked'), left!.release());
  }
}

/** Code that is compiled without having met a node that is down is thrown away when it does, and runs uncompiled for a while. */
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
  // Nothing happens to specimens.
}

/** Not by `queueMicrotask`, in whose place a test may have put another one. */
function soon(task: () => void): void {
  void Promise.resolve().then(task);
}
