import { hash } from 'node:crypto';
import { arrivalIn } from './batch/reply-decoder.js';

/** Signature; value, fence counter and clock of the node, when the oldest of those came who wait behind it, key. */
const MESSAGE = /^(\w+) ((\S+) (\d+)(?:@(\d+))? (\S+) (.*))$/s;
/** Until when the mark lasts that somebody waits, and the secret of the node. */
const MARK = /^\d+ (\w+)$/;

/** What a node, or a client that pretends to be one, says of a grant. */
export interface SignedGrant {
  readonly signature: string;
  /** All the rest. */
  readonly text: string;
  readonly value: string;
  readonly fence: number;
  /** What time the node had, ms: its clock may have been set, and what it gives may be somebody else's still. */
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

/** As the script of the node signs; with the secret at both ends, so that nothing can be added to a text that was signed. */
export function signatureOf(text: string, secret: string): string {
  return hash('sha1', `${secret} ${text} ${secret}`);
}

/** What a node that somebody waits on keeps by itself. */
export function secretIn(mark: string | null): string | undefined {
  return MARK.exec(mark ?? '')?.[1];
}
