/** Who may use the one session of the database: first come, first served, for as long as a transaction lasts. */
export class Turns {
  /** @type {unknown} */
  #owner;
  /** @type {{ client: unknown, begin: () => void }[]} */
  #waiting = [];

  /** Resolves when it is the client's turn; at once if it is already. @param {unknown} client */
  async take(client) {
    if (this.#owner === client) return;
    if (this.#owner === undefined) this.#owner = client;
    else await new Promise((begin) => this.#waiting.push({ client, begin: () => begin(undefined) }));
  }

  /** @param {unknown} client */
  has(client) {
    return this.#owner === client;
  }

  /** Ends the turn of the caller that has it. */
  pass() {
    const next = this.#waiting.shift();
    this.#owner = next?.client;
    next?.begin();
  }
}
