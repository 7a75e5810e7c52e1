import type { Claim } from '../../lib/core/claim.js';
import type { Pipe } from './pipe.js';
import type { Audience } from './sent-claim.js';

/** The private channel of one client on one node: over which connections it listens, as far as the node knows. */
export class Channel implements Audience {
  readonly #pipes = new Set<Pipe>();

  constructor(private readonly heard: (claim: Claim, fence: number) => void) {}

  get isHeard(): boolean {
    for (const pipe of this.#pipes) if (pipe.isToThisRun) return true;
    return false;
  }

  /** Listens over a new connection, before anything else is sent over it. */
  listen(pipe: Pipe): void {
    pipe.send(() => this.#pipes.add(pipe));
    pipe.onEnd(() => this.#pipes.delete(pipe));
  }

  granted(claim: Claim, fence: number): void {
    for (const pipe of this.#pipes) if (pipe.isToThisRun) pipe.reply(() => this.heard(claim, fence));
  }
}
