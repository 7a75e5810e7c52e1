import { MAY_HAVE_FORGOTTEN } from '../../core/port/quarantine-reasons.js';

/** What clients note on a node, so that a restart is noticed: see `lib/redis/scripts/trust-script.ts`. */
export interface Marker {
  /** The start of the server that was noted. */
  readonly run: string;
  /** Microseconds on the clock of the node: since when that start is known. */
  readonly since: number;
  /** Ms: the longest lease of all clients. */
  readonly longest: number;
}

/** Why a node does not vote, and for how many ms still, where that is known. */
export interface Quarantine {
  readonly reason: string;
  readonly votesIn: number;
}

const MARKER = /^(\w+)\|(\d+)\|(\d+)$/;

export function readMarker(text: string | null): Marker | undefined {
  const [, run, since, longest] = MARKER.exec(text ?? '') ?? [];
  return run === undefined ? undefined : { run, since: Number(since), longest: Number(longest) };
}

/**
 * Returns whether clients keep a node out of the vote. It only reads: an operator who looks at a node must not begin its quarantine.
 * `now`: microseconds on the clock of the node. `others`: whether other nodes of the pool have a marker.
 */
export function quarantineOf(
  marker: Marker | undefined,
  {
    run,
    now,
    others,
  }: { readonly run: string | undefined; readonly now: number; readonly others?: Marker | undefined },
): Quarantine | undefined {
  if (marker === undefined) {
    // Without a marker anywhere, either no client has quarantine, or none has ever connected.
    return others && { reason: 'it is new, or was emptied, and waits for its first client', votesIn: others.longest };
  }
  if (run !== undefined && marker.run !== run)
    return { reason: 'it was restarted, and waits for its first client', votesIn: marker.longest };
  const left = marker.longest - (now - marker.since) / 1_000;
  if (left <= 0) return undefined;
  return { reason: MAY_HAVE_FORGOTTEN, votesIn: Math.ceil(left) };
}
