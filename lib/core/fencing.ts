/**
 * The fencing token that the votes of `fences` give: the smallest one that a quorum of them does not exceed, so that it is
 * greater than every token given before; undefined where there is no quorum. (Not the greatest: a holder that did not see it
 * would get the same one again.)
 */
export function tokenOf(fences: readonly number[], quorum: number): number | undefined {
  if (fences.length < quorum) return undefined;
  return [...fences].sort((a, b) => a - b)[quorum - 1];
}

/** Whether the counters of a quorum have at least `token`, so that every later holder meets one of them. */
export function stands(fences: readonly number[], quorum: number, token: number): boolean {
  return fences.filter((fence) => fence >= token).length >= quorum;
}

/** What a client proposes to all nodes at a moment: its wall clock in microseconds, exact until the year 2255. */
export function proposalAt({ wall }: { readonly wall: number }): number {
  return Math.round(wall * 1_000);
}
