/** Which values were given back on a node, and by the how manyth command of their client. */
export class GivenBack {
  readonly #latest = new Map<string, number>();

  /** The node executes a command that gives back what it has of `value`. */
  released(value: string, order: number): void {
    this.#latest.set(value, Math.max(order, this.#latest.get(value) ?? 0));
  }

  /** Whether a command that takes something for `value` was asked for before it was given back, and must not come now. */
  isTooLate(value: string, order: number): boolean {
    return order < (this.#latest.get(value) ?? 0);
  }
}
