import type { Ask, Hold } from '../record.js';

export interface HandOff {
  readonly count: number;
  /** Ms from the end of one hold to the beginning of the next, while a caller waited. */
  readonly p50: number;
  readonly p99: number;
}

/** How fast a resource went from one holder to the next that already waited, within that time. */
export function handOffs(resource: string, asks: readonly Ask[], holds: readonly Hold[]): HandOff {
  const asked = new Map(asks.map((ask) => [`${ask.id} ${ask.resource}`, ask.asked]));
  const list = holds.filter((hold) => hold.resource === resource);
  const gaps = list.flatMap((hold, index) => {
    const last = list[index - 1];
    const since = asked.get(`${hold.id} ${resource}`);
    return last && since !== undefined && since < last.to ? [hold.from - last.to] : [];
  });
  gaps.sort((a, b) => a - b);
  return { count: gaps.length, p50: rank(gaps, 0.5), p99: rank(gaps, 0.99) };
}

function rank(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
