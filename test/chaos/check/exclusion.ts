import type { Hold } from '../record.js';

/** Two that held the same resource at once. */
export interface Overlap {
  readonly first: Hold;
  readonly second: Hold;
  /** Ms for which both held it. */
  readonly ms: number;
}

/** A token that was not above that of an earlier holder. */
export interface Backward {
  readonly first: Hold;
  readonly second: Hold;
}

/**
 * Sweeps over the windows of each resource, in the order of their beginning; a claim that got a lock when it was over
 * held nothing.
 */
export function overlapsOf(holds: readonly Hold[]): Overlap[] {
  return [...byResource(holds).values()].flatMap((list) => {
    const found: Overlap[] = [];
    let last: Hold | undefined;
    for (const hold of list.filter(({ from, to }) => to > from)) {
      if (last && hold.from < last.to)
        found.push({ first: last, second: hold, ms: Math.min(last.to, hold.to) - hold.from });
      if (!last || hold.to > last.to) last = hold;
    }
    return found;
  });
}

/**
 * In the order in which they began to hold, tokens grow. A holder that learns of its lock only when that is over may have
 * been overtaken, and says nothing.
 */
export function backwardsOf(holds: readonly Hold[], highest = new Map<string, Hold>()): Backward[] {
  const found: Backward[] = [];
  for (const [resource, list] of byResource(holds)) {
    for (const hold of list.filter(({ from, to }) => to > from)) {
      const last = highest.get(resource);
      if (last && hold.token <= last.token) found.push({ first: last, second: hold });
      if (!last || hold.token > last.token) highest.set(resource, hold);
    }
  }
  return found;
}

function byResource(holds: readonly Hold[]): Map<string, Hold[]> {
  const sorted = [...holds].sort((a, b) => a.from - b.from);
  const groups = new Map<string, Hold[]>();
  for (const hold of sorted) {
    const group = groups.get(hold.resource);
    if (group) group.push(hold);
    else groups.set(hold.resource, [hold]);
  }
  return groups;
}
