import { MAY_HAVE_FORGOTTEN } from '../../engine/quarantine-reasons.js';

/** What clients note on a node, so that they notice a restart: see `lib/redis/scripts/trust-script.ts`. */
export interface Marker {
  /** The run of the server that the clients have seen. */
  readonly run: string;
  /** Microseconds on the clock of the node: when a client has seen that run first. */
  readonly since: number;
  /** Ms: the longest lease of all clients. */
  readonly longest: number;
}

/** What tells whether clients would count the vote of a node. */
export interface Server {
  readonly marker: Marker | undefined;
  /** Whether anybody has ever had a lock on it, as far as it remembers. */
  readonly isUsed: boolean;
  /** The present run; undefined if the node does not tell. */
  readonly run: string | undefined;
  /** Microseconds on the clock of the node. */
  readonly now: number;
}

/** Why a node does not vote, and for how many ms. */
export interface Quarantine {
  readonly reason: string;
  readonly votesIn: number;
}

const MARKER = /^(\w+)\|(\d+)\|(\d+)$/;

export function readMarker(text: string | null): Marker | undefined {
  const [, run, since, longest] = MARKER.exec(text ?? '') ?? [];
  return run === undefined ? undefined : { run, since: Number(since), longest: Number(longest) };
}

/** Returns the quarantine in which a node is, or into which its next client would put it. Only reads: an operator begins no quarantine. */
export function quarantineOf(
  { marker, run, now }: Server,
  all: readonly Server[],
  maxTtl: (noted: number | undefined) => number,
): Quarantine | undefined {
  if (marker === undefined) {
    const noted = all.find((server) => server.marker !== undefined)?.marker;
    // Locks without any marker are those of clients with `restartQuarantine: false`.
    if (!noted && all.some(({ isUsed }) => isUsed)) return undefined;
    const reason = 'new or emptied: its first client will put it into quarantine';
    return { reason, votesIn: maxTtl(noted?.longest) };
  }
  const longest = maxTtl(marker.longest);
  if (run !== undefined && marker.run !== run)
    return { reason: 'restarted: its next client will put it into quarantine', votesIn: longest };
  const left = marker.longest - (now - marker.since) / 1_000;
  return left <= 0 ? undefined : { reason: MAY_HAVE_FORGOTTEN, votesIn: Math.ceil(left) };
}
