import type { Operation, Step } from './sequence.js';
import type { Echo, Told } from './side.js';

/** A grant, as a word. */
export function wordOf({ claim, fence }: Told): string {
  return `${claim} ${fence}`;
}

/**
 * The grants that the very same batch took back again, by what was told in memory. They are of no use by the time its answers are
 * read: a node that answers first tells of them too late to be counted; one that does not may do so in time or not, since it may
 * take an answer to prove a grant.
 */
export function takenBack(step: Step, { told }: Echo): ReadonlySet<string> {
  if (step.kind !== 'ask') return new Set();
  const later = ({ after }: Told): readonly Operation[] => {
    let before = 0;
    const batch = step.batches.find(({ length }) => (before += length) > after)!;
    return batch.slice(after - before + batch.length + 1);
  };
  const isTakenBack = (one: Told): boolean =>
    one.process === step.process && later(one).some(({ verb, claim }) => isRelease(verb) && claim === one.claim);
  return new Set(told.filter(isTakenBack).map(wordOf));
}

export function isRelease(verb: Operation['verb']): boolean {
  return verb === 'release' || verb === 'leave to the next';
}
