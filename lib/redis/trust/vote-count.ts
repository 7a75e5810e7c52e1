import { MAY_HAVE_FORGOTTEN } from '../../core/port/quarantine-reasons.js';
import type { TrustTerms } from '../batch/batch-encoder.js';
import type { NodeAnswer } from '../batch/reply-decoder.js';
import type { NodeLink } from '../connection/node-link.js';
import type { Reply } from '../connection/wire/wire-command.js';
import type { OwedDistrust } from './owed-distrust.js';
import { QuarantineReport } from './quarantine-report.js';
import { Refusals } from './refusals.js';
import { TokenBound } from './token-bound.js';

/** Decides what the answers of a node count as, and reports when it does not vote and when it votes again. */
export class VoteCount {
  readonly report: QuarantineReport;
  readonly #bound: TokenBound;
  readonly #refusals: Refusals;

  constructor(
    trust: TrustTerms,
    link: NodeLink,
    private readonly distrusted: Pick<OwedDistrust, 'isOwed' | 'remaining'>,
  ) {
    this.report = new QuarantineReport(link);
    this.#bound = new TokenBound(trust, link.clock);
    this.#refusals = new Refusals(link);
  }

  /** Returns what an answer counts as; only votes may count as something else. */
  ofAnswer(answer: NodeAnswer): NodeAnswer {
    return this.#bound.count(this.#outOfQuarantine(answer));
  }

  /** Does the same for the answer to a request for a vote, which also shows whether the node votes at all. */
  ofVote(answer: NodeAnswer): NodeAnswer {
    const counted = this.ofAnswer(answer);
    this.#refusals.note(counted);
    return counted;
  }

  /** Returns whether a grant with this token counts. */
  allows(token: number): boolean {
    return this.distrusted.remaining === 0 && this.#bound.allows(token);
  }

  /** Looks whether the node runs scripts, which any reply may show. */
  heard(reply: Reply): void {
    if (!reply.ok) this.#refusals.heard(reply);
  }

  /** Counts a vote as a quarantine while the node has to be distrusted; reports when a quarantine begins and ends. */
  #outOfQuarantine(answer: NodeAnswer): NodeAnswer {
    const isVote = answer.kind === 'granted';
    // The usual case comes first, because this runs for every answer.
    if (isVote ? !this.report.isOut && !this.distrusted.isOwed : answer.kind !== 'quarantined') return answer;
    const { remaining } = this.distrusted;
    const counted: NodeAnswer =
      isVote && remaining > 0 ? { kind: 'quarantined', remaining: Math.ceil(remaining) } : answer;
    if (counted.kind === 'quarantined') this.report.out(MAY_HAVE_FORGOTTEN, counted.remaining);
    else if (this.report.isOut) this.report.back();
    return counted;
  }
}
