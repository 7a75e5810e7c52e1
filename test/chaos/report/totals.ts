import type { TwoAnswers } from '../check/answers.js';
import type { Chapter, Findings } from '../check/verdict.js';
import { complaints } from '../check/verdict.js';
import { FORGETTING } from '../nemeses/table.js';
import type { Ask } from '../record.js';

/** Of so many locks one may be over when its caller gets it. */
const MOST_ALIVE = 10_000;

/** What a whole run came to. */
export class Totals {
  chapters = 0;
  asks = 0;
  holds = 0;
  overlaps = 0;
  tokensBackward = 0;
  lateAborts = 0;
  /** Holders that looked after they had blocked their event loop, and believed in what was over. */
  unaware = 0;
  looks = 0;
  /** Locks that were over when their callers got them. */
  stillborn = 0;
  unserved = 0;
  onces = 0;
  runs = 0;
  replays = 0;
  unkept = 0;
  readonly twoAnswers: TwoAnswers[] = [];
  permits = 0;
  allPermits = 0;
  /** Holders of permits at once, at most. */
  mostPermits = 0;
  crowds = 0;
  terms = 0;
  /** Ms between two terms, of all chapters. */
  readonly gaps: number[] = [];
  /** Ms after the faults until somebody led; the longest of all chapters. */
  slowestElection = 0;
  readonly termEnds: Record<string, number> = {};
  /** Ms; the longest of all chapters. */
  slowestRecovery = 0;
  /** Ms; the worst chapter's. */
  handOffP50 = 0;
  handOffP99 = 0;
  readonly faults: Record<string, number> = {};
  readonly nodeEvents: Record<string, number> = {};
  readonly outcomes: Record<string, number> = {};
  readonly complaints: string[] = [];
  /** What went wrong with the harness, not with the library. */
  readonly failures: string[] = [];

  /** One may end between the look of the library and that of its caller: one after the other hardly ever does. */
  get tooManyStillborn(): string[] {
    if (this.stillborn <= 1 + this.holds / MOST_ALIVE) return [];
    return [`${this.stillborn} locks were over when their callers got them`];
  }

  /** A record that some of its nodes forgot may be lost: that is no fault of the library. */
  get isForgetful(): boolean {
    return Object.keys(this.faults).some((name) => FORGETTING.includes(name));
  }

  /** What must not be where no node forgot. */
  get wrongAnswers(): string[] {
    if (this.isForgetful) return [];
    return this.twoAnswers.map(
      ({ key, first, second }) =>
        `${key}: ${first.id} was told the answer of ${first.answer}, and ${second.id} that of ${second.answer}`,
    );
  }

  add({ faults, history }: Chapter, found: Findings): void {
    this.chapters += 1;
    this.asks += found.asks;
    this.holds += found.holds;
    this.overlaps += found.overlaps.length;
    this.tokensBackward += found.backwards.length;
    this.lateAborts += found.lateAborts.length;
    this.unaware += found.unaware.length;
    this.looks += history.looks.length;
    this.stillborn += found.stillborn;
    this.unserved += found.unserved.length;
    this.onces += history.onces.length;
    this.runs += history.onces.filter(({ ran }) => ran).length;
    this.replays += history.onces.filter(({ id, answer }) => answer !== undefined && answer !== id).length;
    this.unkept += history.onces.filter(({ isUnkept }) => isUnkept).length;
    this.twoAnswers.push(...found.twoAnswers);
    this.#addPermits(found);
    this.#addLeaders(found);
    this.slowestRecovery = Math.max(this.slowestRecovery, found.recovery);
    this.handOffP50 = Math.max(this.handOffP50, found.handOff.p50);
    this.handOffP99 = Math.max(this.handOffP99, found.handOff.p99);
    for (const { name } of faults) this.faults[name] = (this.faults[name] ?? 0) + 1;
    for (const [kind, count] of history.nodeEvents) this.nodeEvents[kind] = (this.nodeEvents[kind] ?? 0) + count;
    for (const ask of history.asks) {
      const outcome = outcomeOf(ask);
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    }
    this.complaints.push(...complaints(found));
  }

  #addPermits({ permits: { taken, all, most, crowds } }: Findings): void {
    this.permits += taken;
    this.allPermits += all;
    this.mostPermits = Math.max(this.mostPermits, most);
    this.crowds += crowds.length;
  }

  #addLeaders({ leaders: { terms, gaps, took } }: Findings): void {
    this.terms += terms.length;
    this.gaps.push(...gaps);
    this.slowestElection = Math.max(this.slowestElection, took);
    for (const { reason = 'killed' } of terms) this.termEnds[reason] = (this.termEnds[reason] ?? 0) + 1;
  }
}

function outcomeOf({ code, answered }: Ask): string {
  return code ?? (answered === undefined ? 'killed' : 'acquired');
}
