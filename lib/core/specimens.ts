import { systemClock, type Clock } from './clock.js';
import type { LockEvent } from './events.js';
import type { AcquireAnswer, LockNode, Question, ReleaseAnswer } from './lock-node.js';
import { Redlock } from './redlock.js';

const NODES = 5;

/** A clock that stands still: nothing is ever due, and nothing is ever too slow. */
function stillClock(): Clock {
  const now = systemClock.now();
  return { now: () => now, schedule: () => ignore, afterInput: ignore };
}

/** A node in name only: says yes to whatever it is asked, until it is to be silent. */
class YesNode implements LockNode {
  readonly name = 'specimen';
  isSilent = false;

  acquire(question: Question<AcquireAnswer>, seat: number): void {
    question.claim.noteSent(this, true);
    this.#answer(question, seat, { kind: 'granted', fence: question.proposal, oldest: Infinity });
  }

  release(question: Question<ReleaseAnswer>, seat: number): void {
    this.#answer(question, seat, { kind: 'released' });
  }

  extend = ignore;
  raise = ignore;
  yield = ignore;
  probe = ignore;
  open = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => Promise.resolve();

  #answer<A>(question: Question<A>, seat: number, answer: A): void {
    // By a promise, since tests of applications may replace `queueMicrotask`.
    if (!this.isSilent) void Promise.resolve().then(() => question.answer(seat, answer));
  }
}

/**
 * One of each object that a lock is made of: asked for, waiting, held and given back. At a full garbage collection V8 forgets what
 * objects look like of which none is left, and throws away all code that was compiled for them: that of a service which has no
 * lock at that moment, and has to run uncompiled then.
 */
export class Specimens {
  /** Read by nobody: it is enough that they are there. */
  readonly #kept: unknown[] = [];

  async collect(): Promise<void> {
    const nodes = Array.from({ length: NODES }, () => new YesNode());
    const redlock = new Redlock({ nodes, clock: stillClock(), listener: (event: LockEvent) => this.#kept.push(event) });
    const [held, released, left] = await Promise.all(['held', 'released', 'left'].map((name) => redlock.acquire(name)));
    const waiting = redlock.acquire('held');
    await released!.release();
    for (const node of nodes) node.isSilent = true;
    this.#kept.push(redlock, held, waiting, redlock.acquire('asked'), left!.release());
  }
}

function ignore(): void {
  // Nothing happens to specimens.
}
