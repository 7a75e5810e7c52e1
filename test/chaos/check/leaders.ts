import type { Hold } from '../record.js';
import type { Calm } from './recovery.js';

export interface Leaders {
  readonly terms: readonly Hold[];
  /** Ms from the end of one term to the beginning of the next one, in order of length. */
  readonly gaps: readonly number[];
  /** Ms from the end of the last fault until somebody led; Infinity where nobody did. */
  readonly took: number;
  /** Whether that was too long. */
  readonly isLeaderless: boolean;
  /** Terms that began while their own process still cleaned up after its term before. */
  readonly hasty: readonly Hold[];
}

/** Somebody leads soon after the faults. That two lead at once, or that numbers go back, is found as it is for locks. */
export function leadersOf(holds: readonly Hold[], { from, to, limit }: Calm): Leaders {
  const terms = holds.filter((hold) => hold.kind === 'term' && hold.to > hold.from).sort((a, b) => a.from - b.from);
  const late = terms.filter((term) => term.to > from && term.from < to);
  const took = Math.min(...late.map((term) => Math.max(0, term.from - from)));
  return { terms, gaps: gapsOf(terms), took, isLeaderless: took > limit, hasty: hastyOf(holds) };
}

/** A lease that is lost ends the term, but the work of that term may still run. */
function hastyOf(holds: readonly Hold[]): Hold[] {
  const last = new Map<string, Hold>();
  const found: Hold[] = [];
  for (const term of holds.filter(({ kind }) => kind === 'term').sort((a, b) => a.from - b.from)) {
    const before = last.get(term.client);
    if (before && (before.cleaned ?? Infinity) > term.from) found.push(term);
    last.set(term.client, term);
  }
  return found;
}

function gapsOf(terms: readonly Hold[]): number[] {
  const gaps = terms.slice(1).map((term, index) => Math.max(0, term.from - terms[index]!.to));
  return gaps.sort((a, b) => a - b);
}
