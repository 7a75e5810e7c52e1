import type {
  AcquireAnswer,
  ExtendAnswer,
  LockNode,
  ProbeAnswer,
  Question,
  RaiseAnswer,
  ReleaseAnswer,
  YieldAnswer,
} from '../../lib/core/lock-node.js';

export type Verb = 'acquire' | 'yield' | 'raise' | 'extend' | 'release';

/** A node to which all verbs go the same way. */
export abstract class AskingNode implements LockNode {
  abstract readonly name: string;

  acquire(question: Question<AcquireAnswer>, seat: number): void {
    question.claim.noteSent(this, this.ask('acquire', question, seat));
  }

  yield(question: Question<YieldAnswer>, seat: number): void {
    this.ask('yield', question, seat);
  }

  raise(question: Question<RaiseAnswer>, seat: number): void {
    this.ask('raise', question, seat);
  }

  extend(question: Question<ExtendAnswer>, seat: number): void {
    this.ask('extend', question, seat);
  }

  release(question: Question<ReleaseAnswer>, seat: number): void {
    this.ask('release', question, seat);
  }

  probe(answered: (answer: ProbeAnswer) => void): void {
    queueMicrotask(() => answered({ kind: 'unknown', reason: 'not simulated', sent: false }));
  }

  async open(): Promise<void> {
    // Connected from the beginning.
  }

  abstract close(): Promise<void>;

  /** Returns whether the question was sent. */
  protected abstract ask<A>(verb: Verb, question: Question<A>, seat: number): boolean;
}
