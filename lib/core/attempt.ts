import { Aside } from './aside.js';
import type { Ballot } from './ballot.js';
import { Claim } from './claim.js';
import type { AcquireAnswer } from './lock-node.js';
import type { NodePool } from './node-pool.js';
import { lossOf, type Lost, type Won } from './outcome.js';
import { Validity } from './validity.js';

export interface LeaseTerms {
  readonly ttl: number;
  readonly driftFactor: number;
}

/** Asks every node once for all resources; whatever was taken in vain is given back before this answers. */
export async function attempt(pool: NodePool, resources: readonly string[], lease: LeaseTerms): Promise<Won | Lost> {
  const since = pool.clock.now();
  const claim = new Claim(resources, pool.random.value());
  const ballot = pool.acquire(claim, lease.ttl);
  const decision = await ballot.decision;
  const validity = Validity.of(since, lease.ttl, lease.driftFactor);
  if (decision === 'won' && validity.remaining(pool.clock) > 0) {
    return { kind: 'won', claim, validity, provisional: false };
  }
  undo(ballot, claim, lease.ttl);
  return lossOf(ballot, decision);
}

/** Gives back what an attempt took or may have taken; silence counts as taken, since a late command may still land. */
function undo(ballot: Ballot<AcquireAnswer>, claim: Claim, ttl: number): void {
  ballot.nodes.forEach((node, index) => {
    if (mayHave(ballot.answers[index])) node.release(new Aside(claim, ttl), index);
  });
}

/** Whether a node that answered so, or not yet, may have what it was asked for. */
export function mayHave(answer: AcquireAnswer | undefined): boolean {
  return answer === undefined || answer.kind === 'granted' || (answer.kind === 'unknown' && answer.sent);
}
