import type { Moment } from '../time/clock.js';
import type { Bounds, LockNode } from './lock-node.js';

/**
 * Ms by which a moment may be out of the bounds though no clock is wrong: the wall clock is coarse, and a process that stands still
 * between the readings of its two clocks tells a wrong distance between them, by up to 2 ms (`SuspensionWatch`). The bounds may be
 * wide on one side only, so that their middle would be a worse guess than the process's own wall clock.
 */
const READING_ERROR = 3;

/**
 * A moment as a date on the clocks of the nodes, ms: so clients date their arrivals alike, however wrong their own wall clocks are. The
 * median of the nodes counts whose clocks are known; where none is, our own. Also where ours agrees with theirs as far as can be told:
 * clocks that are kept right agree better than what the way of an answer tells of them.
 */
export function dateOnNodes(moment: Moment, nodes: readonly Pick<LockNode, 'clockAhead'>[]): number {
  const ours = moment.wall - moment.monotonic;
  // The usual case, for every lock.
  for (const { clockAhead } of nodes) if (!agrees(ours, clockAhead)) return medianDate(moment, nodes);
  return moment.wall;
}

function medianDate({ monotonic, wall }: Moment, nodes: readonly Pick<LockNode, 'clockAhead'>[]): number {
  const ours = wall - monotonic;
  const known: number[] = [];
  for (const { clockAhead } of nodes) {
    if (clockAhead !== undefined) known.push(agrees(ours, clockAhead) ? ours : middleOf(clockAhead));
  }
  const ahead = known.sort(ascending)[Math.floor((known.length - 1) / 2)]!;
  return ahead === ours ? wall : monotonic + ahead;
}

function agrees(ours: number, ahead: Bounds | undefined): boolean {
  return ahead === undefined || (ours >= ahead.least - READING_ERROR && ours <= ahead.most + READING_ERROR);
}

function middleOf({ least, most }: Bounds): number {
  return (least + most) / 2;
}

function ascending(a: number, b: number): number {
  return a - b;
}
