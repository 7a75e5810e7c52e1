import type { Moment } from '../time/clock.js';
import type { Bounds, LockNode } from './lock-node.js';

/**
 * Ms by which our wall clock may be outside the bounds although no clock is wrong. The wall clock is coarse, and a process that is paused
 * between the readings of its two clocks gets a wrong distance between them, by up to 2 ms (`SuspensionWatch`). Without this tolerance the
 * middle of the bounds would count, which is a worse guess than our own wall clock if the bounds are wide on one side only.
 */
const READING_ERROR = 3;

/**
 * Returns a moment as a date on the clocks of the nodes, ms: clients then date their arrivals alike, however wrong their own wall clocks
 * are. The median of the known clocks counts. A node whose clock agrees with our wall clock, as far as the bounds can tell, counts with
 * our clock: two synchronized clocks agree better than the round trip of an answer can tell. If no clock is known, our own wall clock counts.
 */
export function dateOnNodes(moment: Moment, nodes: readonly Pick<LockNode, 'clockAhead'>[]): number {
  const ours = moment.wall - moment.monotonic;
  // The usual case, which every lock takes: all known clocks agree with ours.
  for (const { clockAhead } of nodes) if (!agrees(ours, clockAhead)) return medianDate(moment, nodes);
  return moment.wall;
}

/**
 * Returns by how many whole ms the clock of a node is ahead of our wall clock. It is 0 if they agree, as far as the bounds can tell, and
 * undefined as long as the node has not said what time it has.
 */
export function clockOffset({ monotonic, wall }: Moment, ahead: Bounds | undefined): number | undefined {
  if (ahead === undefined) return undefined;
  const ours = wall - monotonic;
  return agrees(ours, ahead) ? 0 : Math.round(middleOf(ahead) - ours);
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
