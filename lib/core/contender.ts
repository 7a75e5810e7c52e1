import type { Ballot, Decision } from './ballot.js';
import { Candidacy, type Candidate } from './candidacy.js';
import type { Grant } from './claim.js';
import type { Moment } from './clock.js';
import { contestError, victoryOf, type ContenderListener, type Contest, type Victory } from './contention.js';
import { ENOUGH, SIGN_OF_LIFE } from './hand-off.js';
import { Insistence } from './insistence.js';
import type { AcquireAnswer } from './lock-node.js';
import type { NodePool } from './node-pool.js';
import { decideInTime, reasonInTime, timeForToken } from './in-time.js';
import { reasonOf, type Lost, type Unsettled } from './outcome.js';
import { retryDelay } from './retry.js';
import type { Surrender } from './surrender.js';
import { commonToken, noteLate, raiseLaggards, settle, settleByVotes } from './token.js';
import { Validity } from './validity.js';

/** What a round comes to, for which a few more answers may be waited for where it is lost. */
type Heard = Victory | Unsettled | Lost | Promise<Lost>;

/** One process's place in the lines of all nodes for one resource: asks, waits for grants, and asks again where none come. */
export class Contender implements Candidate {
  #candidacy: Candidacy;
  #validity!: Validity;
  #over = false;
  #inVain: Surrender | undefined; // once the latest round was lost
  #insistence: Insistence | undefined;
  #wake: (() => void) | undefined;
  #stopHurry: (() => void) | undefined;

  constructor(
    private readonly pool: NodePool,
    private readonly contest: Contest,
    readonly listener: ContenderListener,
  ) {
    this.#candidacy = new Candidacy(pool, contest, this);
  }

  /** Tries until the resource is ours, or until time, count or a signal ends it; then nothing of it stays on the nodes. */
  run(now?: Moment): Promise<Victory> {
    return new Promise((resolve, reject) => {
      const ballot = this.#ask(now);
      // The usual case needs no further turn.
      decideInTime(ballot, this.contest.patience, (decision) => {
        const outcome = this.#outcomeOf(ballot, decision);
        if (outcome instanceof Promise || outcome.kind !== 'won' || this.contest.patience.aborted) {
          this.#goOn(outcome).then(resolve, reject);
          return;
        }
        this.#leave();
        resolve(outcome);
      });
    });
  }

  granted(node: string, grant: Grant): void {
    const seat = this.pool.seatOf(node);
    if (this.#candidacy.claim.isDoubtful(seat)) return;
    this.#candidacy.grant(seat, grant);
    this.#hurry();
    this.#wakeIfWon();
  }

  async #goOn(first: Heard): Promise<Victory> {
    try {
      return await this.#untilWon(first);
    } catch (error) {
      this.pool.release(this.#candidacy.claim, this.contest.terms.ttl);
      this.listener.gaveUp();
      throw error;
    } finally {
      this.#leave();
    }
  }

  async #untilWon(first: Heard): Promise<Victory> {
    const { patience, terms } = this.contest;
    const insistence = (this.#insistence = new Insistence(this.pool));
    let outcome = await (first instanceof Promise ? first : this.#settled(first));
    for (let attempts = 1; ;) {
      patience.throwIfAborted();
      // A grant may have come right behind the last answer.
      if (outcome.kind !== 'won') outcome = await this.#settled(this.#found(outcome) ?? outcome);
      if (outcome.kind === 'won') return victoryOf(outcome, attempts);
      this.listener.lost(outcome);
      this.contest.onLost(outcome);
      const left = patience.leftAfter(outcome, attempts);
      if (left <= 0) throw contestError(outcome, this.contest);
      if (insistence.endsAfter(outcome)) this.#surrender().giveWay();
      const delay = Math.min(left, SIGN_OF_LIFE, retryDelay(terms, this.pool.random));
      await patience.pause(delay, (wake) => (this.#wake = wake));
      const found = this.#found(outcome);
      if (found === undefined) attempts += 1;
      outcome = await this.#settled(found ?? (await this.#round(outcome)));
    }
  }

  #leave(): void {
    this.#over = true;
    // What votes say from now on changes neither the token nor anything else of what was won.
    this.#wake = undefined;
    this.#candidacy.place.leave();
    this.#stopHurry?.();
  }

  /** Waits, no longer than nodes may take to answer, until the votes agree on a token. */
  async #settled(outcome: Victory | Lost | Unsettled): Promise<Victory | Lost> {
    if (outcome.kind !== 'unsettled') return outcome;
    const { pool, contest } = this;
    const laggards = { votes: this.#candidacy.votes, awaited: outcome.awaited, changed: () => this.#wakeIfWon() };
    const stop = raiseLaggards(pool, this.#candidacy.claim, laggards);
    const early = (wake: () => void): void => void (this.#wake = () => this.#won() && wake());
    const limit = Math.min(pool.timeoutFor(contest.terms.ttl), timeForToken(contest.patience));
    await contest.patience.pause(limit, early).finally(stop);
    return this.#won() ?? { kind: 'no token', nodes: this.#candidacy.votes.outcomes(pool.nodes) };
  }

  /** Asks once more; where there was no time for all answers, the round `before` says more of what stands in the way. */
  async #round(before: Lost): Promise<Victory | Lost | Unsettled> {
    this.#candidacy = this.#candidacy.next();
    const ballot = this.#ask();
    const decision = await new Promise<Decision>((tell) => decideInTime(ballot, this.contest.patience, tell));
    const outcome = this.#outcomeOf(ballot, decision);
    if (outcome instanceof Promise) return outcome;
    return ballot.isCutShort && (outcome.kind === 'unavailable' || outcome.kind === 'quarantined') ? before : outcome;
  }

  #ask(now = this.pool.clock.now()): Ballot<AcquireAnswer> {
    const { ttl, driftFactor } = this.contest.terms;
    const validity = (this.#validity = Validity.of(now, ttl, driftFactor));
    this.#candidacy.votes.beginRound();
    this.#stopHurry?.();
    this.#wake = this.#inVain = this.#stopHurry = undefined;
    const { claim } = this.#candidacy;
    const late = (seat: number, answer: AcquireAnswer): void => {
      if (this.#over || claim !== this.#candidacy.claim) return noteLate(claim, answer);
      this.#note(seat, answer, validity);
      this.#inVain?.yieldLate(seat, answer);
    };
    return this.pool.acquire(claim, ttl, { late, now });
  }

  /** What is granted now counts together with what was granted while we waited. */
  #outcomeOf(ballot: Ballot<AcquireAnswer>, decision: Decision): Heard {
    if (decision === 'won') {
      if (this.#validity.remaining(this.pool.clock) <= 0) return { kind: 'too slow', nodes: reasonOf(ballot).nodes };
      const token = commonToken(ballot.answers);
      if (token !== undefined) {
        settle(ballot, token);
        return { kind: 'won', claim: ballot.claim, validity: this.#validity, attempts: 1 };
      }
    }
    ballot.answers.forEach((answer, seat) => answer && this.#note(seat, answer, this.#validity));
    const won = this.#standing(ballot.answers.includes(undefined));
    if (!won) (this.#inVain = this.#surrender()).yieldVotes(ballot.answers);
    return won ?? reasonInTime(ballot, this.contest.patience);
  }

  #note(seat: number, answer: AcquireAnswer, validity: Validity): void {
    this.#candidacy.note(seat, answer, validity);
    this.#insistence?.heard(seat, answer, validity.since);
    this.#wakeIfWon();
  }

  /** Grants of one release come together; where the rest of them stays away, asking tells why. */
  #hurry(): void {
    this.#stopHurry ??= this.pool.clock.schedule(this.pool.timeoutFor(this.contest.terms.ttl), () => this.#wake?.());
  }

  #wakeIfWon(): void {
    if (this.#wake && this.#candidacy.votes.quorum(this.pool.clock)) this.#wake();
  }

  /** What the votes come to; those that could not be brought to a token in time are asked for again. */
  #found({ kind }: Lost): Victory | Unsettled | undefined {
    return kind === 'no token' ? this.#won() : this.#standing();
  }

  #won(): Victory | undefined {
    const standing = this.#standing();
    return standing?.kind === 'won' ? standing : undefined;
  }

  /** Won by the votes of several rounds and grants, where they make nearly a whole lease; else it is asked for. */
  #standing(awaited = true): Victory | Unsettled | undefined {
    const { claim, votes } = this.#candidacy;
    const validity = votes.quorum(this.pool.clock);
    if (!validity || validity.remaining(this.pool.clock) < validity.length * ENOUGH) return undefined;
    if (!settleByVotes(claim, votes, this.pool.clock)) return { kind: 'unsettled', awaited };
    return { kind: 'won', claim, validity, attempts: 1 };
  }

  #surrender(): Surrender {
    return this.#candidacy.surrender(() => this.#wakeIfWon());
  }
}
