import { CANDIDATES } from '../candidates/candidates.mjs';
import { spread } from '../harness/statistics.mjs';

/** @typedef {import('./report.mjs').Measured} Measured */
/** @typedef {import('../harness/child.mjs').Figures} Figures */
/** @typedef {{ name: string, isOurs: boolean, runs: readonly Figures[] }} Row */
/** @typedef {{ rows: Row[], from: readonly Measured[] }} Gathered */

const PEERS = CANDIDATES.filter(({ kind }) => kind === 'peer').map(({ name }) => name);

/** @param {{ machine: { node: string } }} measured */
export function majorOf({ machine: { node } }) {
  return Number(/\d+/.exec(node)?.[0]);
}

/** How readers know a candidate. @param {string} candidate */
export function nameOf(candidate) {
  return CANDIDATES.find(({ name }) => name === candidate)?.title ?? candidate;
}

/**
 * The libraries side by side, by the newest version of Node.js that all of them were measured with; each by its newest run there.
 * @param {readonly Measured[]} all
 * @param {[string, string]} of scenario and variant
 * @returns {Gathered}
 */
export function gathered(all, [scenario, variant]) {
  /** @param {Measured} measured @param {string} candidate */
  const runsOf = (measured, candidate) => measured.results[scenario]?.[variant]?.runs[candidate];
  const withPeers = all.filter((measured) => PEERS.some((peer) => runsOf(measured, peer) !== undefined));
  const major = Math.max(...withPeers.map(majorOf));
  const newestFirst = all
    .filter((measured) => majorOf(measured) === major)
    .sort((one, other) => other.machine.date.localeCompare(one.machine.date));
  const rows = CANDIDATES.flatMap(({ name, title, kind }) => {
    const from = newestFirst.find((measured) => runsOf(measured, name) !== undefined);
    if (from === undefined) return [];
    const runs = (runsOf(from, name) ?? []).filter((run) => run !== undefined);
    return [{ candidate: name, name: title, isOurs: kind === 'ours', runs, from }];
  });
  return { rows, from: newestFirst.filter((measured) => rows.some(({ from }) => from === measured)) };
}

/** @param {Row} row @param {string} figure */
export function spreadOf({ runs }, figure) {
  return spread(runs.map((run) => run[figure]));
}
