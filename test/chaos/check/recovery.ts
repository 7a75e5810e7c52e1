import type { Ask } from '../record.js';

export interface Recovery {
  /** Ms after the last fault until the last of those was served who waited when it ended. */
  readonly took: number;
  /** Who was not served in time. */
  readonly unserved: readonly Ask[];
  /** Clients who asked in the calm, and none of whose workers was served in it. */
  readonly starved: readonly string[];
}

export interface Calm {
  /** When the last fault had ended, and when work was over. */
  readonly from: number;
  readonly to: number;
  /** Ms within which all who wait have to be served. */
  readonly limit: number;
}

/**
 * Whoever waits when the faults end has its lock within the limit, unless it gives up before by its own terms. Whoever
 * wants several resources at once stands in no line, and has to be lucky.
 */
export function recoveryOf(asks: readonly Ask[], { from, to, limit }: Calm): Recovery {
  const waiting = inLine(asks).filter((ask) => ask.asked <= from && (ask.answered ?? Infinity) > from);
  const end = Math.min(to, from + limit);
  const unserved = waiting.filter((ask) => (ask.answered ?? Infinity) > end && !isAlone(ask, asks));
  const served = waiting.filter(({ code, answered }) => code === undefined && answered !== undefined);
  const took = Math.max(0, ...served.map(({ answered }) => answered! - from));
  return { took, unserved, starved: starvedIn(asks, from) };
}

function starvedIn(asks: readonly Ask[], from: number): string[] {
  const late = asks.filter(({ answered = Infinity }) => answered > from && answered !== Infinity);
  const seats = new Set(late.map(({ client }) => seatOf(client)));
  for (const { client, code } of late) if (code === undefined) seats.delete(seatOf(client));
  return [...seats];
}

function seatOf(client: string): string {
  return client.split('.')[0]!;
}

/** Of a process that was killed while it waited nothing more is heard. */
function isAlone({ client, asked }: Ask, asks: readonly Ask[]): boolean {
  const [seat, life] = client.split('.') as [string, string];
  return asks.some((other) => {
    const [otherSeat, otherLife] = other.client.split('.') as [string, string];
    return otherSeat === seat && Number(otherLife) > Number(life) && other.asked > asked;
  });
}

/** Those who asked for one resource. */
function inLine(asks: readonly Ask[]): Ask[] {
  const counts = new Map<string, number>();
  for (const { id } of asks) counts.set(id, (counts.get(id) ?? 0) + 1);
  return asks.filter(({ id }) => counts.get(id) === 1);
}
