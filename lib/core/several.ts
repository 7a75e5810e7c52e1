import { ask, type LeaseTerms } from './attempt.js';
import { ValueSpoiled } from './candidacy.js';
import { Claim } from './claim.js';
import { attemptUnlessAborted, contestError, victoryOf, type Contest, type Victory } from './contention.js';
import { timeForRound } from './in-time.js';
import type { LeaseSurroundings } from './lease-surroundings.js';
import { Lease } from './lease.js';
import { lossOf, withoutToken } from './outcome.js';
import { retryDelay } from './retry.js';
import type { WaitingLines } from './waiting-line.js';

/** What taking several resources needs of its surroundings. */
export type SeveralSurroundings = Pick<LeaseSurroundings, 'pool' | 'maxTtl'> & { readonly lines: WaitingLines };

/**
 * Takes several resources: all at once where they are free. Else one after the other, in an order that all callers share, so that none
 * waits for another in a circle; each in its line by the time of arrival, and kept while the next one is waited for. Then all of them
 * become one lock, or, where time is up, all are given back.
 */
export async function takeSeveral(around: SeveralSurroundings, contest: Contest): Promise<Victory> {
  const { patience, terms } = contest;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attemptUnlessAborted(around.pool, contest);
    if (outcome.kind === 'won') return victoryOf(outcome, attempts);
    contest.onLost(outcome);
    const left = patience.leftAfter(outcome, attempts);
    if (left <= 0) throw contestError(outcome, contest);
    if (outcome.kind === 'contended') {
      const won = await takeInLine(around, contest, attempts);
      if (won) return won;
    } else await patience.pause(Math.min(left, retryDelay(terms, around.pool.random)));
  }
}

/** Undefined where a part was lost while the others were waited for. */
async function takeInLine(
  around: SeveralSurroundings,
  contest: Contest,
  attempts: number,
): Promise<Victory | undefined> {
  const parts = new Parts(around, contest);
  try {
    await parts.gather();
    return await parts.merge(attempts);
  } catch (error) {
    if (error instanceof ValueSpoiled) return undefined;
    throw error;
  } finally {
    parts.end();
  }
}

/** The parts of one lock, all taken under the same value. */
class Parts {
  readonly #leases: Lease[] = [];
  readonly #claims: Claim[] = [];
  readonly #value: string;
  #isMerged = false;

  constructor(
    private readonly around: SeveralSurroundings,
    private readonly contest: Contest,
  ) {
    this.#value = around.pool.random.value();
  }

  async gather(): Promise<void> {
    const { lines, pool } = this.around;
    // In the order of their code units, which is the same everywhere.
    for (const resource of [...this.contest.resources].sort(byCodeUnits)) {
      const won = await lines.take(this.#partOf(resource), pool.clock.now());
      this.#claims.push(won.claim);
      const lease = new Lease(this.#silently, won, { terms: this.#terms, taken: pool.clock.now() });
      lines.hold(lease);
      this.#leases.push(lease);
    }
  }

  /** Makes one lock of what was gathered, by asking for all of it under the value that all parts have. */
  async merge(attempts: number): Promise<Victory | undefined> {
    const { pool } = this.around;
    const { contest } = this;
    const { patience, terms } = contest;
    while (this.#isWhole) {
      patience.throwIfAborted();
      const claim = new Claim(contest.resources, this.#value);
      claim.parts = this.#claims;
      const { won, ballot, decision } = await ask(pool, claim, contest);
      if (won) return this.#merged({ ...victoryOf(won, attempts), parts: this.#leases });
      const outcome =
        decision === 'won' && claim.token === 0
          ? withoutToken(ballot)
          : await lossOf(ballot, decision, timeForRound(patience));
      const left = patience.leftAfter(outcome, attempts);
      if (left <= 0) throw contestError(outcome, contest);
      await patience.pause(Math.min(left, retryDelay(terms, pool.random)));
    }
    return undefined;
  }

  /** Gives back what was gathered in vain. */
  end(): void {
    if (!this.#isMerged) for (const lease of this.#leases) void lease.release();
  }

  #merged(won: Victory): Victory {
    this.#isMerged = true;
    for (const lease of this.#leases) lease.dissolve();
    return won;
  }

  get #isWhole(): boolean {
    return this.#leases.every(({ isValid }) => isValid) && !this.#claims.some(({ spoiled }) => spoiled);
  }

  #partOf(resource: string): Contest {
    const { contest } = this;
    return {
      resources: [resource],
      wanted: contest.resources,
      value: this.#value,
      terms: contest.terms,
      patience: contest.patience,
      onLost: (outcome) => contest.onLost(outcome),
    };
  }

  get #terms(): LeaseTerms & { readonly autoExtend: true; readonly maxHold: number } {
    const { ttl, driftFactor } = this.contest.terms;
    return { ttl, driftFactor, autoExtend: true, maxHold: Infinity };
  }

  /** Nobody but us knows of the parts. */
  get #silently(): LeaseSurroundings {
    const { pool, maxTtl, lines } = this.around;
    const [emit, never] = [() => undefined, () => false];
    return { pool, maxTtl, emit, followed: never, passOn: never, ended: (lease) => lines.leave(lease) };
  }
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : 1;
}
