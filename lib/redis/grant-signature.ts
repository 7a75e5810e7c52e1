import { hash } from 'node:crypto';
import { arrivalIn } from './batch/reply-decoder.js';

/** Matches a grant: signature; value, fence counter and clock of the node, arrival of the oldest waiter behind it, key. */
const MESSAGE = /^(\w+) ((\S+) (\d+)(?:@(\d+))? (\S+) (.*))$/s;
/** Matches the mark that somebody waits: when the mark expires, and the secret of the node. */
const MARK = /^\d+ (\w+)$/;

/** What a node, or a client that pretends to be one, says about a grant. */
export interface SignedGrant {
  readonly signature: string;
  /** What was signed: everything after the signature. */
  readonly text: string;
  readonly value: string;
  readonly fence: number;
  /** The clock of the node, ms: if it was set, the resource may still belong to somebody else. */
  readonly clock: number | undefined;
  readonly oldest: number;
  readonly key: string;
}

export function readGrant(message: string): SignedGrant | undefined {
  const [, signature, text, value, fence, clock, oldest, key] = MESSAGE.exec(message) ?? [];
  if (signature === undefined) return undefined;
  const signs = {
    fence: Number(fence),
    clock: clock === undefined ? undefined : Number(clock),
    oldest: arrivalIn(oldest),
  };
  return { signature, text: text!, value: value!, ...signs, key: key! };
}

/** Returns the signature that the script on the node makes. The secret is at both ends, so that nothing can be added to a signed text. */
export function signatureOf(text: string, secret: string): string {
  return hash('sha1', `${secret} ${text} ${secret}`);
}

/** Returns the secret from the mark that a node keeps while somebody waits. */
export function secretIn(mark: string | null): string | undefined {
  return MARK.exec(mark ?? '')?.[1];
}
