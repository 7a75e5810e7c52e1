import type { ChaosOptions } from '../options.js';
import type { Store } from '../stage/store.js';
import type { Totals } from './totals.js';

export type Summary = readonly (readonly [name: string, value: string])[];

interface Whole {
  readonly options: ChaosOptions;
  readonly totals: Totals;
  readonly store: Store;
}

/** The figures of a run, in words. */
export function summarize({ options, totals, store }: Whole): Summary {
  const protections = [!options.restartQuarantine && 'no quarantine', options.sabotage].filter(Boolean).join(', ');
  return [
    [
      'faults',
      `${(options.duration / 60_000).toFixed(1)} minutes in ${totals.chapters} chapters, seed ${options.seed}`,
    ],
    ['clients', `${options.clients} processes, ttl ${options.ttl} ms, maxTtl ${options.maxTtl} ms`],
    ['without', protections || 'nothing was taken away'],
    ['locks asked for', String(totals.asks)],
    ['locks held', String(totals.holds)],
    ['two holders at once', String(totals.overlaps)],
    ['tokens out of order', String(totals.tokensBackward)],
    ['signals that were late', String(totals.lateAborts)],
    ['looks after a blocked event loop', `${totals.looks}, ${totals.unaware} of them believed in what was over`],
    ['locks over when they came', String(totals.stillborn)],
    ['writes the fenced store refused', `${store.refused} (late writers)`],
    ['wrong writes the fenced store took', String(store.fencedFaults.length)],
    ['lost updates of the plain store', `${store.lostUpdates.length} of ${store.writes} (late writers may cause them)`],
    ['slowest recovery', `${Math.round(totals.slowestRecovery)} ms, at most ${options.maxTtl + 1_000} ms`],
    ['unserved after the faults', String(totals.unserved)],
    ['once: calls', String(totals.onces)],
    ['once: runs', String(totals.runs)],
    ['once: replays', String(totals.replays)],
    ['once: told as not kept', String(totals.unkept)],
    [`keys with two answers${totals.isForgetful ? ' (nodes forgot)' : ''}`, String(totals.twoAnswers.length)],
    ['permits: taken', `${totals.permits}, ${totals.allPermits} of them all slots`],
    ['permits: holders at once at most', `${totals.mostPermits}, more slots than there are: ${totals.crowds} times`],
    ['leaders: terms', `${totals.terms} (${counted(totals.termEnds)})`],
    ['leaders: gaps between terms', gapsOf(totals)],
    ['leaders: nobody led after the faults', `for ${Math.round(totals.slowestElection)} ms at most`],
    [
      'hand-off in calm',
      `p50 ${totals.handOffP50.toFixed(1)} ms, p99 ${totals.handOffP99.toFixed(1)} ms (worst chapter)`,
    ],
    ['outcomes', counted(totals.outcomes)],
    ['faults', counted(totals.faults)],
    ['told of nodes', counted(totals.nodeEvents)],
  ];
}

function gapsOf(totals: Totals): string {
  const gaps = [...totals.gaps].sort((a, b) => a - b);
  const at = (share: number): string => (gaps[Math.floor((gaps.length - 1) * share)] ?? 0).toFixed(1);
  return `${gaps.length}, p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, longest ${at(1)} ms`;
}

export function asText(summary: Summary): string {
  return summary.map(([name, value]) => `${name.padEnd(36)} ${value}`).join('\n');
}

export function asMarkdown(title: string, summary: Summary): string {
  const rows = summary.map(([name, value]) => `| ${name} | ${value.replaceAll('|', '\\|')} |`);
  return [`# ${title}`, '', '| what | |', '| --- | --- |', ...rows, ''].join('\n');
}

function counted(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}
