/** One attempt to own resources: what every command of this attempt carries to every node. */
export class Claim {
  #withdrawn = false;
  #asked = false;
  #unreached: Set<object> | undefined;

  constructor(
    readonly resources: readonly string[],
    /** The owner's random mark, new for every attempt. */
    readonly value: string,
  ) {}

  /** True once its release was sent: from then on nothing may plant the keys of this claim again. */
  get withdrawn(): boolean {
    return this.#withdrawn;
  }

  withdraw(): void {
    this.#withdrawn = true;
  }

  /** Notes whether a command that takes the resources left for `node`, until every node was asked. */
  noteSent(node: object, sent: boolean): void {
    if (sent) this.#unreached?.delete(node);
    else if (!this.#asked) (this.#unreached ??= new Set()).add(node);
  }

  /** Every node was asked once: what has reached it by now, no later command can take back. */
  asked(): void {
    this.#asked = true;
  }

  /** False where `node` provably never heard of this claim, so that nothing is owed to it. */
  mayBeOn(node: object): boolean {
    return !this.#unreached?.has(node);
  }
}
