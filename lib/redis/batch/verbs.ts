import type { Claim } from '../../core/port/claim.js';
import type { Question } from '../../core/port/lock-node.js';
import { LAST_SINGLE_BYTE, SEVERAL_OF, VERB, type Verb } from '../scripts/protocol.js';

/** Which terms an operation needs; terms hold until others are sent. */
export type Needs = Readonly<Record<'ttl' | 'proposal' | 'tokens' | 'grantTtl' | 'arrival', boolean>>;

const VOTE = needing('ttl', 'proposal', 'tokens');
const TTL = needing('ttl');
const TOKEN = needing('proposal', 'tokens');
const NOTHING = needing();

/** Which terms each verb needs. */
export const NEEDS: Record<Verb, Needs> = {
  [VERB.acquire]: VOTE,
  [VERB.wait]: needing('ttl', 'proposal', 'tokens', 'grantTtl', 'arrival'),
  [VERB.extend]: TTL,
  [VERB.keep]: TTL,
  [VERB.raise]: TOKEN,
  [VERB.release]: NOTHING,
  [VERB.releaseInLine]: needing('grantTtl'),
  [VERB.makeRoom]: needing('grantTtl'),
  [VERB.yield]: needing('grantTtl', 'arrival'),
  [VERB.acquireAll]: VOTE,
  [VERB.extendAll]: TTL,
  [VERB.keepAll]: TTL,
  [VERB.raiseAll]: TOKEN,
  [VERB.releaseAll]: NOTHING,
  [VERB.makeRoomForAll]: NOTHING,
};

const RELEASES: ReadonlySet<Verb> = new Set([
  VERB.release,
  VERB.releaseInLine,
  VERB.makeRoom,
  VERB.releaseAll,
  VERB.makeRoomForAll,
]);

/** Returns whether a verb asks for a vote; without a lookup, because it runs for every operation. */
export function isVote(verb: Verb): boolean {
  return verb === VERB.wait || verb === VERB.acquire || verb === VERB.acquireAll;
}

export function isRelease(verb: Verb): boolean {
  return RELEASES.has(verb);
}

/** Returns whether a verb is a release that serves the line of its resource. */
export function mayServe(verb: Verb): boolean {
  return verb === VERB.release || verb === VERB.releaseInLine || verb === VERB.releaseAll;
}

/** Returns whether a verb may put a claim in line. */
export function isWait(verb: Verb): boolean {
  return verb === VERB.wait || verb === VERB.yield;
}

export function isForOne(verb: Verb): boolean {
  return verb.charCodeAt(0) < LAST_SINGLE_BYTE;
}

/** Returns the form of the verb for one resource or for several, depending on the claim. */
export function severalOr<V extends keyof typeof SEVERAL_OF>(verb: V, claim: Claim): V | (typeof SEVERAL_OF)[V] {
  return claim.resources.length === 1 ? verb : SEVERAL_OF[verb];
}

/**
 * Returns the verb that asks for a claim. A claim with a place in line may take that wherever it is asked for, also on a node that lost the lock
 * while it is held. It can wait for a grant only where the node can notify us of one.
 */
export function acquireVerb(claim: Claim, canBeGranted: boolean): Verb {
  return claim.place && canBeGranted ? VERB.wait : severalOr(VERB.acquire, claim);
}

/** Returns the verb that sets the lease of a claim; a lease that is in use may only become longer. */
export function extendVerb({ claim, mayShorten }: Pick<Question<never>, 'claim' | 'mayShorten'>): Verb {
  return severalOr(mayShorten ? VERB.keep : VERB.extend, claim);
}

/**
 * Returns the verb that gives a claim back, together with its place in line. To give back a vote and keep the place, ask with a claim that has no
 * place (`giveWayQuestion`).
 */
export function releaseVerb({ claim, isFollowed }: Pick<Question<never>, 'claim' | 'isFollowed'>): Verb {
  if (isFollowed) return severalOr(VERB.makeRoom, claim);
  return claim.place ? VERB.releaseInLine : severalOr(VERB.release, claim);
}

/** Returns whether a claim may stand in line after this answer; it may also do so where no answer came. */
export function mayStand(verb: Verb, answer: string): boolean {
  if (!isWait(verb)) return false;
  return answer === 'unknown' || answer === (verb === VERB.wait ? 'held' : 'passed');
}

function needing(...terms: (keyof Needs)[]): Needs {
  return {
    ttl: terms.includes('ttl'),
    proposal: terms.includes('proposal'),
    tokens: terms.includes('tokens'),
    grantTtl: terms.includes('grantTtl'),
    arrival: terms.includes('arrival'),
  };
}
