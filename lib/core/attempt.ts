import { Aside } from './aside.js';
import type { Ballot, Decision } from './ballot.js';
import { Claim } from './claim.js';
import { decideInTime, timeForRound, timeForToken } from './in-time.js';
import type { AcquireAnswer } from './lock-node.js';
import type { NodePool } from './node-pool.js';
import { lossOf, withoutToken, type Lost, type Won } from './outcome.js';
import type { Patience } from './patience.js';
import { commonToken, noteLate, raiseLaggards, settle, settleByVotes } from './token.js';
import { Validity } from './validity.js';
import { Votes } from './votes.js';

export interface LeaseTerms {
  readonly ttl: number;
  readonly driftFactor: number;
}

/** What is asked for, on what terms, and for how long. */
export interface AttemptTerms {
  readonly resources: readonly string[];
  readonly terms: LeaseTerms;
  readonly patience: Patience;
}

/** Asks every node once for all resources; whatever was taken in vain is given back before this answers. */
export async function attempt(pool: NodePool, { resources, terms, patience }: AttemptTerms): Promise<Won | Lost> {
  const claim = new Claim(resources, pool.random.value());
  const { won, ballot, decision } = await ask(pool, claim, { terms, patience });
  if (won) return won;
  undo(ballot, claim, terms.ttl);
  if (decision === 'won' && claim.token === 0) return withoutToken(ballot);
  return lossOf(ballot, decision, timeForRound(patience));
}

interface Asked {
  readonly won: Won | undefined;
  readonly ballot: Ballot<AcquireAnswer>;
  readonly decision: Decision;
}

/** Asks every node once for all resources of a claim; gives nothing back. */
export async function ask(
  pool: NodePool,
  claim: Claim,
  { terms, patience }: Omit<AttemptTerms, 'resources'>,
): Promise<Asked> {
  const now = pool.clock.now();
  const validity = Validity.of(now, terms.ttl, terms.driftFactor);
  const ballot = pool.acquire(claim, terms.ttl, { now, late: (_seat, answer) => noteLate(claim, answer) });
  const decision = await new Promise<Decision>((tell) => decideInTime(ballot, patience, tell));
  const token = decision === 'won' ? commonToken(ballot.answers) : undefined;
  if (token !== undefined) settle(ballot, token);
  else if (decision === 'won') await searchToken(pool, ballot, { validity, limit: timeForToken(patience) });
  const isWon = claim.token !== 0 && validity.remaining(pool.clock) > 0;
  return { won: isWon ? { kind: 'won', claim, validity } : undefined, ballot, decision };
}

/** Until the fence counters of a quorum agree enough, for as long as nodes may take to answer. */
async function searchToken(
  pool: NodePool,
  ballot: Ballot<AcquireAnswer>,
  { validity, limit }: { readonly validity: Validity; readonly limit: number },
): Promise<void> {
  const { claim } = ballot;
  const votes = new Votes(ballot.nodes.length);
  const note = (seat: number, answer: AcquireAnswer | undefined): void => {
    if (answer?.kind === 'granted') votes.grant(seat, { validity, fence: answer.fence });
    else if (answer) votes.refuse(seat, answer.kind);
  };
  ballot.answers.forEach((answer, seat) => note(seat, answer));
  await new Promise<void>((resolve) => {
    let stopRaise = (): void => undefined;
    const stopTimer = pool.clock.schedule(Math.min(limit, pool.timeoutFor(ballot.ttl)), resolve);
    const check = (): void => {
      if (claim.token !== 0 || !settleByVotes(claim, votes, pool.clock)) return;
      stopTimer();
      stopRaise();
      resolve();
    };
    ballot.tellLate((seat, answer) => {
      note(seat, answer);
      noteLate(claim, answer);
      check();
    });
    check();
    if (claim.token !== 0) return;
    const awaited = ballot.answers.includes(undefined);
    stopRaise = raiseLaggards(pool, claim, { votes, awaited, changed: check });
  });
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
