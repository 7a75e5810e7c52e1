const TIDY_FROM = 1_000;

/** When to look for what can be forgotten: whenever there is twice as much, often enough to forget and too seldom to cost. */
export class Tidying {
  #at = TIDY_FROM;

  /** Calls `tidy` where that is due, which takes out of `entries` what is of no use any more. */
  check(entries: { readonly size: number }, tidy: () => void): void {
    if (entries.size < this.#at) return;
    tidy();
    this.#at = Math.max(TIDY_FROM, 2 * entries.size);
  }
}
