import { systemClock, type Clock } from './clock.js';
import type { LockEvent } from './events.js';
import type { AcquireAnswer, LockNode, Question, ReleaseAnswer } from './lock-node.js';
import { Redlock } from './redlock.js';

/** On which nothing is ever due. */
const STILL: Clock = { now: () => systemClock.now(), schedule: () => ignore, afterInput: ignore };
const NODES = 5;

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
    if (!this.isSilent) queueMicrotask(() => question.answer(seat, answer));
  }
}

/**
 * One of each object that a lock is made of, in every state that is usual, for as long as these are kept. At a full garbage
 * collection V8 forgets what objects look like of which none is left, and throws away all code that was compiled for them: that of
 * a service which has no lock at that moment, and has to run uncompiled then.
 */
export class Specimens {
  readonly #kept: unknown[] = [];

  async collect(): Promise<void> {
    const nodes = Array.from({ length: NODES }, () => new YesNode());
    const redlock = new Redlock({ nodes, clock: STILL, listener: (event: LockEvent) => this.#kept.push(event) });
    const [held, left, passed] = await Promise.all(['held', 'left', 'passed'].map((name) => redlock.acquire(name)));
    const waiting = redlock.acquire('held');
    await passed!.release();
    for (const node of nodes) node.isSilent = true;
    this.#kept.push(redlock, held, waiting, redlock.acquire('asked'), left!.release());
  }
}

function ignore(): void {
  // Specimens live for ever.
}
