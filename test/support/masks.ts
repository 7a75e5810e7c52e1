/** All 2^size ways in which each of `size` nodes can be one thing (true) or the other. */
export function masksOf(size: number): boolean[][] {
  return Array.from({ length: 2 ** size }, (_, bits) =>
    Array.from({ length: size }, (__, index) => ((bits >> index) & 1) === 1),
  );
}

/** `[true, false]` with letters `F` and `t` is 'Ft'. */
export function drawn(mask: readonly boolean[], [yes, no]: readonly [string, string]): string {
  return mask.map((bit) => (bit ? yes : no)).join('');
}
