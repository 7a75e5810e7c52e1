import { SingleCall } from '../../lib/core/port/single-call.js';
import { Claim } from '../../lib/core/port/claim.js';
import type { Moment } from '../../lib/core/time/clock.js';
import { counterOf } from '../../lib/core/port/fencing.js';
import type {
  AcquireAnswer,
  ExtendAnswer,
  LockNode,
  ProbeAnswer,
  RaiseAnswer,
  ReleaseAnswer,
  YieldAnswer,
} from '../../lib/core/port/lock-node.js';
import { WaiterStub } from '../support/waiter-stub.js';

/** One more process that asks the node under test. */
export interface OtherProcess {
  readonly node: Pick<LockNode, 'acquire'>;
  /** Ends it, with its connection. */
  die(): Promise<void>;
}

/** A node, and what the suite needs to look behind it. */
export interface NodeUnderTest {
  readonly node: LockNode;
  /** Plants a key as a foreign client would, of another type where the value is `DATA_OF_OTHERS`; without `ttl` it never expires. */
  plant(resource: string, value: string, ttl?: number): Promise<void>;
  read(resource: string): Promise<string | undefined>;
  /** On the clock of the process that asks the node. */
  now(): Moment;
  /** Lets at least so many ms pass. */
  pass(ms: number): Promise<void>;
  /** Before each case. */
  begin?(): Promise<void>;
  process(): Promise<OtherProcess>;
  stop(): Promise<void>;
}

/** The verbs of the node under test, and fresh names for each case. */
export class ContractSuite {
  #under!: NodeUnderTest;
  #names = 0;

  async begin(setUp: () => Promise<NodeUnderTest>): Promise<void> {
    this.#under = await setUp();
  }

  get under(): NodeUnderTest {
    return this.#under;
  }

  fresh(): string {
    return `resource-${(this.#names += 1)}`;
  }

  /** So many fresh names that share a fence counter. */
  freshAlike(count: number): string[] {
    const names = [this.fresh()];
    while (names.length < count) {
      const next = this.fresh();
      if (counterOf(next) === counterOf(names[0]!)) names.push(next);
    }
    return names;
  }

  claimOf(...resources: string[]): Claim {
    return new Claim(resources, `value-${(this.#names += 1)}`);
  }

  /** A waiter that arrived at `arrived` and has not asked yet. */
  waiterFor(
    resource: string,
    arrived: number,
    { ttl = 60_000, value = `waiter-${(this.#names += 1)}`, tokens = 1 } = {},
  ): WaiterStub {
    return new WaiterStub(resource, { arrived, ttl, value, tokens });
  }

  /** Waiters that have asked, in this order, for a held resource, and are in line now. */
  async lineUp(resource: string, ...arrivals: number[]): Promise<WaiterStub[]> {
    const waiters = arrivals.map((arrived) => this.waiterFor(resource, arrived));
    for (const { claim } of waiters) await this.acquire(claim);
    return waiters;
  }

  /** Those of another process, which has died since then. */
  async lineUpDead(resource: string, ...arrivals: number[]): Promise<WaiterStub[]> {
    const { node, die } = await this.under.process();
    const waiters = arrivals.map((arrived) => this.waiterFor(resource, arrived));
    for (const { claim } of waiters) await this.#acquire(claim, {}, node);
    await die();
    return waiters;
  }

  acquire(claim: Claim, ttl = 60_000, proposal = 0): Promise<AcquireAnswer> {
    return this.#acquire(claim, { ttl, proposal }, this.under.node);
  }

  #acquire(claim: Claim, { ttl = 60_000, proposal = 0 }, node: Pick<LockNode, 'acquire'>): Promise<AcquireAnswer> {
    return new Promise((resolve) => {
      const question = new SingleCall<AcquireAnswer>(claim, ttl, resolve);
      question.proposal = proposal;
      question.tokens = claim.place?.tokens ?? 1;
      node.acquire(question, 0);
    });
  }

  /** The fence counter with a vote for `claim`. */
  async fenceOf(claim: Claim, proposal?: number): Promise<number> {
    const answer = await this.acquire(claim, 60_000, proposal);
    if (answer.kind !== 'granted') throw new Error(`it is ${answer.kind}`);
    return answer.fence;
  }

  raise(claim: Claim, token: number): Promise<RaiseAnswer> {
    return new Promise((resolve) => {
      const question = new SingleCall<RaiseAnswer>(claim, 0, resolve);
      question.proposal = token;
      question.tokens = claim.place?.tokens ?? 1;
      this.under.node.raise(question, 0);
    });
  }

  /** Microseconds on the wall clock of the process that asks. */
  microseconds(): number {
    return Math.round(this.under.now().wall * 1_000);
  }

  yield(claim: Claim): Promise<YieldAnswer> {
    return new Promise((resolve) => this.under.node.yield(new SingleCall(claim, 60_000, resolve), 0));
  }

  extend(claim: Claim, ttl = 60_000, proposal = 0): Promise<ExtendAnswer> {
    return new Promise((resolve) => {
      const question = new SingleCall<ExtendAnswer>(claim, ttl, resolve);
      question.proposal = proposal;
      this.under.node.extend(question, 0);
    });
  }

  /** Sets the lease of a claim whose holder has finished with it. */
  keep(claim: Claim, ttl = 60_000): Promise<ExtendAnswer> {
    return new Promise((resolve) => {
      const question = Object.assign(new SingleCall<ExtendAnswer>(claim, ttl, resolve), { mayShorten: true });
      this.under.node.extend(question, 0);
    });
  }

  release(claim: Claim): Promise<ReleaseAnswer> {
    return new Promise((resolve) => this.under.node.release(new SingleCall(claim, 60_000, resolve), 0));
  }

  /** Releases without serving the line, which leaves it to the claim that asks next. */
  releaseFollowed(claim: Claim): Promise<ReleaseAnswer> {
    return new Promise((resolve) => {
      const question = Object.assign(new SingleCall<ReleaseAnswer>(claim, 60_000, resolve), { isFollowed: true });
      this.under.node.release(question, 0);
    });
  }

  /** Resolves when the node has done, and told, all that it was asked so far. */
  probed(): Promise<ProbeAnswer> {
    return new Promise((resolve) => this.under.node.probe(resolve));
  }

  /** Ms that a foreign client is told are left. */
  async left(resource: string): Promise<number> {
    const answer = await this.acquire(this.claimOf(resource));
    return answer.kind === 'held' ? answer.remaining : 0;
  }

  read(...resources: string[]): Promise<(string | undefined)[]> {
    return Promise.all(resources.map((resource) => this.under.read(resource)));
  }

  /** The holders of the resource in order, as one after the other gives it back. */
  async successionOf(
    resource: string,
    everybody: readonly { readonly claim: Claim }[],
  ): Promise<(Claim | undefined)[]> {
    const succession: (Claim | undefined)[] = [];
    for (;;) {
      const value = await this.under.read(resource);
      const owner = everybody.find(({ claim }) => claim.value === value)?.claim;
      if (owner === undefined) return value === undefined ? succession : [...succession, undefined];
      succession.push(owner);
      await this.release(owner);
    }
  }
}
