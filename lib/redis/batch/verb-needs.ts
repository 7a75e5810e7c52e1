import type { Verb } from './batch.js';

/** The terms of operations that stand until they change. */
export type Needs = Readonly<Record<'ttl' | 'proposal' | 'tokens' | 'grantTtl' | 'ticket', boolean>>;

/** Which terms a verb needs; all of one shape, so that they are quick to read. */
export const NEEDS: Record<Verb, Needs> = {
  A: needing('ttl', 'proposal', 'tokens'),
  W: needing('ttl', 'proposal', 'tokens', 'grantTtl', 'ticket'),
  E: needing('ttl'),
  F: needing('proposal', 'tokens'),
  K: needing('ttl'),
  R: needing(),
  L: needing('grantTtl'),
  S: needing('grantTtl'),
  Y: needing('grantTtl', 'ticket'),
  a: needing('ttl', 'proposal', 'tokens'),
  e: needing('ttl'),
  f: needing('proposal', 'tokens'),
  k: needing('ttl'),
  r: needing(),
  s: needing(),
};

function needing(...terms: (keyof Needs)[]): Needs {
  return {
    ttl: terms.includes('ttl'),
    proposal: terms.includes('proposal'),
    tokens: terms.includes('tokens'),
    grantTtl: terms.includes('grantTtl'),
    ticket: terms.includes('ticket'),
  };
}
