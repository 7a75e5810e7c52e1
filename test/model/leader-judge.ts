import type { SharedChoices } from './choices.js';
import type { Campaign } from './leaders.js';
import type { World } from './world.js';
import type { LockEvent } from '../../lib/engine/events.js';

type Elected = Extract<LockEvent, { readonly type: 'elected' }>;

/** How often a process looks at its lease during one ttl at least; it does so a little less often on a slow clock. */
const LOOKS = 11;

/** Looks at every election: one leader, terms that grow, and work that has ended or is told of. */
export class LeaderJudge {
  terms = 0;
  readonly violations: string[] = [];
  #latest = 0;

  constructor(
    private readonly world: World,
    private readonly choices: Pick<SharedChoices, 'stopTimeout' | 'ttl'>,
    private readonly campaigns: ReadonlySet<Campaign>,
  ) {}

  note({ process }: Campaign, violation: string): void {
    this.violations.push(`${violation}: p${process.id} at ${this.world.time.toFixed(1)}`);
  }

  /** Called at the very election, before the work of the term begins. */
  elected(campaign: Campaign, { term, overlap }: Elected): void {
    this.terms += 1;
    for (const other of this.campaigns) if (other !== campaign && !other.process.isDead) this.#compare(campaign, other);
    if (term <= this.#latest) this.note(campaign, `TERM ${term} after ${this.#latest}`);
    this.#latest = Math.max(this.#latest, term);
    this.#judgeOwn(campaign, overlap);
    this.#begin(campaign, term);
  }

  /** What an election tells of an earlier leader. */
  #compare(campaign: Campaign, other: Campaign): void {
    const { time } = this.world;
    if (other.candidate.isLeader) return this.note(campaign, `TWO LEADERS with p${other.process.id}`);
    if (other.lock?.isValid === true) return this.note(campaign, `TWO HOLDERS of the role with p${other.process.id}`);
    const { pausedUntil, wokeAt } = other.process;
    // A process that stands still is told as soon as it goes on; after a suspension, when it looks at its lease the next time.
    const isLate = pausedUntil >= time - 1 || wokeAt + this.choices.ttl / LOOKS >= time;
    if (isLate || other.signal === undefined) return;
    if (!other.signal.aborted) return this.note(campaign, `NOT TOLD that its term is over: p${other.process.id}`);
    const isTooLate = time - other.endedAt >= this.choices.stopTimeout * 0.99 - 1;
    if (other.running.has(other.term) && !isTooLate && other.lost?.aborted === false)
      this.note(campaign, `BEFORE THE CLEAN-UP of p${other.process.id}`);
  }

  #judgeOwn(campaign: Campaign, overlap: boolean): void {
    const { candidate, isClosing, isInTerm, running, settledAt } = campaign;
    if (isClosing) this.note(campaign, 'ELECTED AFTER CLOSE');
    if (isInTerm) this.note(campaign, 'ELECTED TWICE');
    if (!candidate.isLeader) this.note(campaign, 'invalid when elected');
    if (running.size > 0 && !overlap) this.note(campaign, 'BEFORE THE CLEAN-UP of its own earlier term');
    if (running.size === 0 && overlap && settledAt < this.world.time - 1) this.note(campaign, 'OVERLAP with nothing');
  }

  #begin(campaign: Campaign, term: number): void {
    campaign.isInTerm = true;
    campaign.term = term;
    const signal = (campaign.signal = campaign.candidate.term?.signal);
    signal?.addEventListener('abort', () => (campaign.endedAt = this.world.time), { once: true });
  }
}
