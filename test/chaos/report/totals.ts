import type { Chapter, Findings } from '../check/verdict.js';
import { complaints } from '../check/verdict.js';
import type { Ask } from '../record.js';

/** What a whole run came to. */
export class Totals {
  chapters = 0;
  asks = 0;
  holds = 0;
  overlaps = 0;
  tokensBackward = 0;
  lateAborts = 0;
  unserved = 0;
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

  add({ faults, history }: Chapter, found: Findings): void {
    this.chapters += 1;
    this.asks += found.asks;
    this.holds += found.holds;
    this.overlaps += found.overlaps.length;
    this.tokensBackward += found.backwards.length;
    this.lateAborts += found.lateAborts.length;
    this.unserved += found.unserved.length;
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
}

function outcomeOf({ code, answered }: Ask): string {
  return code ?? (answered === undefined ? 'killed' : 'acquired');
}
