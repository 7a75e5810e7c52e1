import type { Ask } from '../record.js';

export interface Recovery {
  /** Ms from the end of the last fault until all that waited then were served. */
  readonly took: number;
  /** The questions that were not served in time. */
  readonly unserved: readonly Ask[];
  /**
   * Those that asked in the calm and were not served in it: clients with all their workers, and all that wanted several
   * resources.
   */
  readonly starved: readonly string[];
}

export interface Calm {
  /** When the last fault had ended, and when work was over. */
  readonly from: number;
  readonly to: number;
  /** Ms within which all waiters have to be served. */
  readonly limit: number;
}

/** So many that want several resources are not all unlucky. */
const MANY = 10;

/**
 * A waiter at the end of the faults has its lock within the limit, unless it gives up before by its own terms. A caller
 * of several resources waits in several lines, one after the other: of many of those some are served.
 */
export function recoveryOf(asks: readonly Ask[], { from, to, limit }: Calm): Recovery {
  const waiting = asks
    .filter(isIn(asks, 'one'))
    .filter((ask) => ask.asked <= from && (ask.answered ?? Infinity) > from);
  const end = Math.min(to, from + limit);
  const unserved = waiting.filter((ask) => (ask.answered ?? Infinity) > end && !isAlone(ask, asks));
  const served = waiting.filter(({ code, answered }) => code === undefined && answered !== undefined);
  const took = Math.max(0, ...served.map(({ answered }) => answered! - from));
  return { took, unserved, starved: [...starvedIn(asks, from), ...starvedTogether(asks, from)] };
}

function starvedIn(asks: readonly Ask[], from: number): string[] {
  const late = asks.filter(({ answered = Infinity }) => answered > from && answered !== Infinity);
  const nodeIndexes = new Set(late.map(({ client }) => nodeIndexOf(client)));
  for (const { client, code } of late) if (code === undefined) nodeIndexes.delete(nodeIndexOf(client));
  return [...nodeIndexes];
}

function starvedTogether(asks: readonly Ask[], from: number): string[] {
  const late = asks
    .filter(isIn(asks, 'several'))
    .filter(({ answered = Infinity }) => answered > from && answered !== Infinity);
  const isStarved = late.length >= MANY && late.every(({ code }) => code !== undefined);
  return isStarved ? ['everybody who wanted several resources'] : [];
}

function nodeIndexOf(client: string): string {
  return client.split('.')[0]!;
}

/** Of a process that was killed while it waited nothing more is heard. */
function isAlone({ client, asked }: Ask, asks: readonly Ask[]): boolean {
  const [nodeIndex, life] = client.split('.') as [string, string];
  return asks.some((other) => {
    const [otherSeat, otherLife] = other.client.split('.') as [string, string];
    return otherSeat === nodeIndex && Number(otherLife) > Number(life) && other.asked > asked;
  });
}

/** Those that asked for one resource, or for several. */
function isIn(asks: readonly Ask[], kind: 'one' | 'several'): (ask: Ask) => boolean {
  const counts = new Map<string, number>();
  for (const { id } of asks) counts.set(id, (counts.get(id) ?? 0) + 1);
  return ({ id }) => (counts.get(id) === 1) === (kind === 'one');
}
