import type { Grant } from '../../../lib/core/port/claim.js';
import { signatureOf } from '../../../lib/redis/grant-signature.js';
import { wordOf } from './batch-run.js';
import type { Channels } from './channels.js';
import type { SentClaim } from './sent-batch.js';

interface Told {
  readonly channel: string;
  readonly message: string;
}

/** Where one node publishes which waiter is next, signed by a secret that is known to waiters that were put in line. */
export class GrantDesk {
  #secret: string | undefined;
  #secrets = 0;
  #grants: Told[] = [];

  constructor(
    private readonly node: string,
    private readonly channels: Channels,
  ) {}

  /** Made when the first is put in line, and kept as long as the node remembers. */
  get secret(): string {
    return (this.#secret ??= `${this.node.replace(/\W/g, '')}s${(this.#secrets += 1)}`);
  }

  get knownSecret(): string | undefined {
    return this.#secret;
  }

  /** The mark on the node that a claim waits. */
  get mark(): string | null {
    return this.#secret === undefined ? null : `0 ${this.#secret}`;
  }

  /** Has another one, or none, of what the node remembers now. */
  remember(secret: string | undefined): void {
    this.#secret = secret;
  }

  /** Told to the waiter once the result of the batch is known. */
  grant(claim: SentClaim, { fence, oldest = 0 }: Grant, clock: number): void {
    const text = `${claim.value} ${fence}@${clock} ${wordOf(oldest)} ${claim.resources[0]}`;
    this.#grants.push({ channel: claim.channel, message: `${signatureOf(text, this.#secret ?? '')} ${text}` });
  }

  /** What tells of the grants so far; undefined where there are none. */
  take(): (() => void) | undefined {
    if (this.#grants.length === 0) return undefined;
    const grants = this.#grants;
    this.#grants = [];
    return () => grants.forEach(({ channel, message }) => this.channels.tell(channel, message));
  }
}
