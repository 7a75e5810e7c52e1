import { Claim } from '../../lib/core/claim.js';
import type { AcquireAnswer, ExtendAnswer, LockNode, ReleaseAnswer } from '../../lib/core/lock-node.js';

/** A node, and what the suite needs to look behind it. */
export interface NodeUnderTest {
  readonly node: LockNode;
  /** Plants a key as a foreign client would; without `ttl` it never expires. */
  plant(resource: string, value: string, ttl?: number): Promise<void>;
  read(resource: string): Promise<string | undefined>;
  /** Lets at least so many ms pass. */
  pass(ms: number): Promise<void>;
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

  claimOf(...resources: string[]): Claim {
    return new Claim(resources, `value-${(this.#names += 1)}`);
  }

  acquire(claim: Claim, ttl = 60_000): Promise<AcquireAnswer> {
    return new Promise((resolve) => this.under.node.acquire(claim, ttl, resolve));
  }

  extend(claim: Claim, ttl = 60_000): Promise<ExtendAnswer> {
    return new Promise((resolve) => this.under.node.extend(claim, ttl, resolve));
  }

  release(claim: Claim): Promise<ReleaseAnswer> {
    return new Promise((resolve) => this.under.node.release(claim, 60_000, resolve));
  }

  /** Ms that a foreign client is told are left. */
  async left(resource: string): Promise<number> {
    const answer = await this.acquire(this.claimOf(resource));
    return answer.kind === 'held' ? answer.remaining : 0;
  }

  read(...resources: string[]): Promise<(string | undefined)[]> {
    return Promise.all(resources.map((resource) => this.under.read(resource)));
  }
}
