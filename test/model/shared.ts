import { chooseShared, termsOf, type SharedChoices } from './choices.js';
import { Faults } from './faults.js';
import { Candidates, ROLE_LOCK } from './leaders.js';
import { LimitCallers } from './limits.js';
import type { Result } from './result.js';
import { World } from './world.js';

/** Ms after the faults within which everybody is served, and somebody leads. */
const BOUND = 60_000;
/** Ms within which a reader has an answer. */
const ANSWER = 10_000;

/** Runs one small world with faults in which callers have a limit and processes campaign for a role, and judges it. */
export class SharedModel {
  readonly world: World;
  readonly #choices: SharedChoices;
  readonly #callers: LimitCallers;
  readonly #candidates: Candidates;
  readonly #violations: string[] = [];
  #isWorking = true;

  constructor(seed: number, fixed: Partial<SharedChoices> = {}) {
    const choices = (this.#choices = chooseShared(seed, fixed));
    this.world = new World(seed, termsOf(choices));
    this.#callers = new LimitCallers(this.world, choices);
    this.#candidates = new Candidates(this.world, choices);
  }

  async run(): Promise<Result> {
    const { world } = this;
    const choices = this.#choices;
    for (let count = 0; count < choices.processes; count += 1) this.#start();
    new Faults(world, choices, { start: () => this.#start() }).begin();
    await world.run(choices.length);
    this.#isWorking = false;
    this.#candidates.settle();
    world.loss = 0;
    await this.#within(BOUND, 'STUCK: calls wait 60 s after the faults', () => this.#open === 0);
    if (this.#candidates.areAlive) await this.#judgeLeader();
    await this.#judgeEnd();
    const { judge: limits } = this.#callers;
    const { judge: leaders } = this.#candidates;
    const violations = [...limits.violations, ...leaders.violations, ...this.#violations];
    return { choices, grants: limits.grants, told: 0, terms: leaders.terms, violations };
  }

  #start(): void {
    const process = this.world.start();
    for (let worker = 0; worker < this.#choices.workers; worker += 1) void this.#work(process.id);
    this.#candidates.join(process);
  }

  async #work(id: number): Promise<void> {
    const { world } = this;
    const process = world.processes[id]!;
    await world.sleep(process, world.random() * 20);
    while (this.#isWorking) {
      await this.#callers.call(process);
      await world.sleep(process, this.#choices.think * world.random() + 0.01);
    }
  }

  /** How many calls have not ended on processes that are alive. */
  get #open(): number {
    return this.world.processes.reduce((sum, { isDead, open }) => sum + (isDead ? 0 : open), 0);
  }

  /** Lets the world go on until something is true. */
  async #within(ms: number, violation: string, isTrue: () => boolean): Promise<void> {
    await this.world.run(this.world.time + ms, isTrue);
    if (!isTrue()) this.#violations.push(violation);
  }

  /** Whether nothing fails, so that nothing waits for the end of a lease. */
  get #isCalm(): boolean {
    const { faultRate, forget, loss, blocks } = this.#choices;
    return faultRate + forget + loss + blocks === 0;
  }

  /** Ms after which leases have ended that nobody extends, quarantines too, and a leader has asked for promises again. */
  get #rest(): number {
    return 3 * this.#choices.ttl + 1_500;
  }

  /** Ms within which nodes that are up have done what they were asked. */
  get #trips(): number {
    return 100 + 60 * this.#choices.delay;
  }

  /** Somebody leads, and every process can read who. */
  async #judgeLeader(): Promise<void> {
    const { world } = this;
    await this.#within(BOUND, 'NO LEADER 60 s after the faults', () => this.#term() !== undefined);
    if (this.#term() === undefined) return;
    await world.run(world.time + this.#rest);
    const until = world.time + BOUND;
    // A reader whose questions take too long is told nothing, and asks again.
    while (world.time < until) {
      const term = this.#term();
      const read = await this.#readTerm();
      if (read !== undefined && read === this.#term()) return;
      if (read !== undefined && term !== undefined && term === this.#term())
        return void this.#violations.push(`READ ${read} as the term ${term}`);
      await world.run(world.time + ANSWER / 10);
    }
    this.#violations.push(`READ nothing for 60 s, while p${this.#candidates.leader?.process.id} leads`);
  }

  /** The number of the term, as the leader knows it. */
  #term(): number | undefined {
    return this.#candidates.leader?.candidate.term?.number;
  }

  /** Returns the term that a process reads; undefined if nodes say of none, or too few of them answer. */
  async #readTerm(): Promise<number | undefined> {
    const reader = this.world.processes.findLast(({ isDead }) => !isDead)!;
    let read: { readonly token?: number | undefined } | undefined;
    reader.redlock.register.running(ROLE_LOCK).then(
      (attempt) => (read = { token: attempt?.token }),
      () => (read = {}),
    );
    await this.world.run(this.world.time + ANSWER, () => read !== undefined);
    return read?.token;
  }

  /** All candidates close. Then nobody leads, and nothing is left on a node. */
  async #judgeEnd(): Promise<void> {
    const { world } = this;
    const { candidates } = this.#choices;
    this.#candidates.end();
    await this.#within(BOUND, 'STUCK: candidates do not close', () => this.#open === 0);
    await this.#within(BOUND, 'STUCK: work goes on', () => this.#candidates.running + this.#callers.holding === 0);
    await world.run(world.time + (this.#isCalm ? this.#trips : this.#rest));
    const read = candidates > 0 ? await this.#readTerm() : undefined;
    if (read !== undefined) this.#violations.push(`READ ${read} as the term when nobody leads`);
    this.#lookBehind();
  }

  #lookBehind(): void {
    for (const { index, data } of this.world.nodes)
      for (const left of [...data.resources, ...data.records.resources.map((resource) => `the record of ${resource}`)])
        this.#violations.push(`LEFT BEHIND: ${left} on node ${index}`);
  }
}
