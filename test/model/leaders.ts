import type { SharedChoices } from './choices.js';
import { LeaderJudge } from './leader-judge.js';
import type { Process, World } from './world.js';
import type { LockListener } from '../../lib/engine/events.js';
import type { Lock } from '../../lib/engine/lock.js';
import { LEADER } from '../../lib/engine/resources.js';
import { DEFAULT_LOCK_OPTIONS } from '../../lib/engine/options.js';
import { type Candidate, type Electorate, RoleCandidate } from '../../lib/leader/candidate.js';
import type { LeaderWork, StopWork, Term } from '../../lib/leader/term.js';

const ROLE = 'role';
/** What the lock of the role is called. */
export const ROLE_LOCK = LEADER + ROLE;
/** Ms between two things that a candidate does, at most. */
const BETWEEN = 800;
/** Ms after which a closed candidate of a process is followed by another one, at most. */
const PAUSE = 200;
/** The shares of candidates that close, and that resign. */
const [CLOSE, RESIGN] = [0.2, 0.4];
/** The shares of work that lasts until its term ends, and that resigns by itself. */
const [UNTIL_THE_END, RESIGNS] = [0.3, 0.1];
/** Ms: work takes so long before it returns, at most. */
const BEGINNING = 40;

/** One candidate of a process, as the judge sees it. */
export class Campaign {
  candidate!: Candidate;
  isClosing = false;
  /** The lock of its latest term. */
  lock: Lock | undefined;
  /** Aborts when this lock is lost. */
  lost: AbortSignal | undefined;
  /** The number and the signal of the latest term. */
  term = 0;
  signal: AbortSignal | undefined;
  isInTerm = false;
  /** When the latest term ended. */
  endedAt = 0;
  /** The terms whose work, or its clean-up, has not ended; and when the latest one of it ended. */
  readonly running = new Set<number>();
  settledAt = -Infinity;

  constructor(readonly process: Process) {}
}

/** Processes that campaign for one role. */
export class Candidates {
  readonly judge: LeaderJudge;
  readonly #campaigns = new Set<Campaign>();
  #isWorking = true;
  #isOver = false;

  constructor(
    private readonly world: World,
    private readonly choices: SharedChoices,
  ) {
    this.judge = new LeaderJudge(world, choices, this.#campaigns);
  }

  /** Campaigns on a process if there are too few candidates. */
  join(process: Process): void {
    const alive = new Set([...this.#campaigns].map((campaign) => campaign.process).filter(({ isDead }) => !isDead));
    if (alive.size < this.choices.candidates) void this.#campaign(process);
  }

  /** From now on nobody resigns, closes or throws. */
  settle(): void {
    this.#isWorking = false;
  }

  /** Closes all candidates. A process that was paused until now does not begin to campaign. */
  end(): void {
    this.#isOver = true;
    for (const campaign of this.alive) void this.close(campaign);
  }

  /** The candidates that may still lead. */
  get alive(): readonly Campaign[] {
    return [...this.#campaigns].filter(({ process, isClosing }) => !process.isDead && !isClosing);
  }

  /** Whether a process is alive that has campaigned. */
  get areAlive(): boolean {
    return [...this.#campaigns].some(({ process }) => !process.isDead);
  }

  get leader(): Campaign | undefined {
    return this.alive.find(({ candidate }) => candidate.isLeader);
  }

  /** How many works and clean-ups have not ended, on processes that are alive. */
  get running(): number {
    const alive = [...this.#campaigns].filter(({ process }) => !process.isDead);
    return alive.reduce((sum, { running }) => sum + running.size, 0);
  }

  async close(campaign: Campaign): Promise<void> {
    const { process, candidate } = campaign;
    campaign.isClosing = true;
    process.open += 1;
    await candidate.close();
    process.open -= 1;
    if (candidate.isLeader || candidate.term !== undefined) this.judge.note(campaign, 'LEADS AFTER CLOSE');
  }

  async #campaign(process: Process): Promise<void> {
    const { world } = this;
    for (;;) {
      await world.sleep(process, world.random() * 20);
      if (this.#isOver) return;
      const campaign = this.#begin(process);
      await this.#live(campaign);
      if (!campaign.isClosing) return;
      await world.sleep(process, PAUSE * world.random());
    }
  }

  /** Returns once the candidate has closed, or nobody closes any more. */
  async #live(campaign: Campaign): Promise<void> {
    const { world } = this;
    const { process, candidate } = campaign;
    for (;;) {
      await world.sleep(process, BETWEEN * world.random());
      if (!this.#isWorking) return;
      const what = world.random();
      if (what < CLOSE) return this.close(campaign);
      if (what >= CLOSE + RESIGN) continue;
      process.open += 1;
      await candidate.resign();
      process.open -= 1;
    }
  }

  #begin(process: Process): Campaign {
    const { ttl, stopTimeout } = this.choices;
    const campaign = new Campaign(process);
    const work: LeaderWork = (term) => this.#work(campaign, term);
    campaign.candidate = new RoleCandidate(ROLE, work, { ttl, stopTimeout }, this.#electorateOf(campaign));
    this.#campaigns.add(campaign);
    return campaign;
  }

  /** What a candidate gets of its pool, as `RedlockService` gives it. */
  #electorateOf(campaign: Campaign): Electorate {
    const { redlock, clock } = campaign.process;
    const emit: LockListener = (event) => {
      if (event.type === 'elected') this.judge.elected(campaign, event);
      if (event.type === 'deposed') campaign.isInTerm = false;
    };
    return {
      clock,
      maxTtl: this.choices.ttl,
      driftFactor: DEFAULT_LOCK_OPTIONS.driftFactor,
      random: { id: () => campaign.process.channel, fraction: this.world.random },
      emit,
      elect: async (name, { ttl, signal }) => {
        const lock = await redlock.acquireForLeader(LEADER + name, { ttl, signal, label: LEADER + name });
        campaign.lock = lock;
        campaign.lost = lock.signal;
        return lock;
      },
      announce: (name, { fencingToken: token, value: owner }) =>
        redlock.register.announce(LEADER + name, { token, owner, fingerprint: null }),
      closed: () => undefined,
    };
  }

  async #work(campaign: Campaign, term: Term): Promise<void | StopWork> {
    const { world } = this;
    const { process } = campaign;
    campaign.running.add(term.number);
    try {
      await world.sleep(process, BEGINNING * world.random());
      if (world.random() < RESIGNS && this.#isWorking) void term.resign();
      if (world.random() < UNTIL_THE_END) await term.ended;
      if (world.random() < this.choices.throws && this.#isWorking) throw new Error('The work has failed');
    } catch (error) {
      this.#settled(campaign, term);
      throw error;
    }
    if (world.random() < 0.2) return this.#settled(campaign, term);
    return () => this.#stop(campaign, term);
  }

  /** A clean-up: it takes some time, sometimes longer than the candidate waits for it. */
  async #stop(campaign: Campaign, term: Term): Promise<void> {
    const { world } = this;
    const { stopTimeout, late, throws } = this.choices;
    if (!term.signal.aborted) this.judge.note(campaign, 'CLEAN-UP DURING THE TERM');
    const isLate = world.random() < late;
    await world.sleep(campaign.process, stopTimeout * (isLate ? 1 + world.random() : 0.9 * world.random()));
    this.#settled(campaign, term);
    if (world.random() < throws) throw new Error('The clean-up has failed');
  }

  #settled(campaign: Campaign, { number }: Term): void {
    campaign.running.delete(number);
    campaign.settledAt = this.world.time;
  }
}
