const TIDY_FROM = 1_000;

/** Decides when to look for useless entries: whenever the number of entries has doubled. That frees memory often enough, and costs little. */
export class Tidying {
  #at = TIDY_FROM;

  /** Calls `tidy` if it is due; `tidy` removes from `entries` what is of no use any more. */
  check(entries: { readonly size: number }, tidy: () => void): void {
    if (entries.size < this.#at) return;
    tidy();
    this.#at = Math.max(TIDY_FROM, 2 * entries.size);
  }
}
