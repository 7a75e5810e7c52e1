import type { Pipe } from './pipe.js';

type Hear = (message: string) => void;

/** The listeners of each channel on one node: over which connections, as far as the node knows. */
export class Channels {
  readonly #listeners = new Map<string, Map<Pipe, Hear>>();

  /** From now on what is told on the channel goes into this connection, too. */
  listen(channel: string, pipe: Pipe, hear: Hear): void {
    const listeners = this.#listeners.get(channel) ?? new Map<Pipe, Hear>();
    this.#listeners.set(channel, listeners.set(pipe, hear));
    pipe.onEnd(() => listeners.delete(pipe));
  }

  isHeard(channel: string): boolean {
    for (const pipe of this.#pipesOf(channel)) if (pipe.isToThisRun) return true;
    return false;
  }

  tell(channel: string, message: string): void {
    for (const [pipe, hear] of this.#listeners.get(channel) ?? []) {
      if (pipe.isToThisRun) pipe.reply(() => hear(message));
    }
  }

  #pipesOf(channel: string): Iterable<Pipe> {
    return this.#listeners.get(channel)?.keys() ?? [];
  }
}
