import { Agenda } from '../../lib/core/agenda.js';
import { Ballot, type BallotTerms } from '../../lib/core/ballot.js';
import { Claim } from '../../lib/core/claim.js';
import type { LockNode, Unknown } from '../../lib/core/lock-node.js';
import { VirtualClock } from './virtual-clock.js';

export interface Vote {
  readonly kind: 'yes' | 'no';
}

export const YES: Vote = { kind: 'yes' };
export const NO: Vote = { kind: 'no' };

/** Ballots of 50 ms whose nodes say what a test has them say. */
export class Polls {
  readonly clock = new VirtualClock();
  readonly claim = new Claim(['a'], 'ours');
  /** What each question is answered by, in the order of the questions. */
  readonly say: ((answer: Vote | Unknown) => void)[] = [];
  /** What came late, and from which seat. */
  readonly late: unknown[] = [];

  ballotOf = (size: number, terms: Partial<BallotTerms<Vote>> = {}): Ballot<Vote> => {
    const nodes = Array.from({ length: size }, (_, index) => ({ name: `node-${index}` }) as LockNode);
    return new Ballot<Vote>(
      { nodes, noAnswers: nodes.map(() => undefined), clock: this.clock, agenda: new Agenda(this.clock) },
      {
        claim: this.claim,
        ttl: 1_000,
        proposal: 0,
        timeout: 50,
        put: (_node, question, seat) => void this.say.push((answer) => question.answer(seat, answer)),
        favour: 'yes',
        late: (seat, answer) => this.late.push([seat, answer.kind]),
        ...terms,
      },
    );
  };
}
