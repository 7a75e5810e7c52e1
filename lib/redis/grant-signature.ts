import { hash } from 'node:crypto';
import { arrivalIn } from './batch/reply-decoder.js';

/** Matches a grant: signature; value, fence counter and clock of the node, arrival of the oldest waiter behind it, key. */
const MESSAGE = /^(\w+) ((\S+) (\d+)(?:@(\d+))? (\S+) (.*))$/s;
/** Matches the waiting mark: when the mark expires, and the secret of the node. */
const WAITING_MARK = /^\d+ (\w+)$/;

/** A message about a grant, from a node or from a client that pretends to be one. */
export interface GrantMessage {
  readonly signature: string;
  /** What was signed: everything after the signature. */
  readonly text: string;
  readonly value: string;
  readonly fence: number;
  /** The clock of the node at the grant, ms: if it was set, the resource may still belong to somebody else. */
  readonly clock: number | undefined;
  readonly oldest: number;
  readonly key: string;
}

export function readGrantMessage(message: string): GrantMessage | undefined {
  const [, signature, text, value, fence, clock, oldest, key] = MESSAGE.exec(message) ?? [];
  if (signature === undefined) return undefined;
  return {
    signature,
    text: text!,
    value: value!,
    fence: Number(fence),
    clock: clock === undefined ? undefined : Number(clock),
    oldest: arrivalIn(oldest),
    key: key!,
  };
}

/** Returns the signature that the script on the node makes. The secret is at both ends, so that nothing can be added to a signed text. */
export function signatureOf(text: string, secret: string): string {
  return hash('sha1', `${secret} ${text} ${secret}`);
}

/** Returns the secret from the waiting mark of a node. */
export function secretIn(mark: string | null): string | undefined {
  return WAITING_MARK.exec(mark ?? '')?.[1];
}
