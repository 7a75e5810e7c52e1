import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeAcquire } from './acquire.contract.js';
import { ContractSuite, type NodeUnderTest } from './contract-suite.js';
import { describeDeadWaiters } from './dead-waiters.contract.js';
import { describeExtend } from './extend.contract.js';
import { describeFences } from './fences.contract.js';
import { describeForeignData } from './foreign-data.contract.js';
import { describeGrants } from './grants.contract.js';
import { describeLine } from './line.contract.js';
import { describeNotes } from './notes.contract.js';
import { describeOldest } from './oldest.contract.js';
import { describeRelease } from './release.contract.js';
import { describeTokens } from './tokens.contract.js';
import { describeYield } from './yield.contract.js';

/** What every node must do alike, so that tests in memory tell the truth about Redis. */
export function describeLockNode(name: string, setUp: () => Promise<NodeUnderTest>): void {
  describe(`${name} as a LockNode`, () => {
    const suite = new ContractSuite();
    beforeAll(() => suite.begin(setUp));
    beforeEach(() => suite.under.begin?.());
    afterAll(() => suite.under.stop());

    describe('acquire', () => describeAcquire(suite));
    describe('extend', () => describeExtend(suite));
    describe('release', () => describeRelease(suite));
    describe('data of another type', () => describeForeignData(suite));
    describe('its line', () => describeLine(suite));
    describe('waiters whose process is gone', () => describeDeadWaiters(suite));
    describe('grants', () => describeGrants(suite));
    describeFences(suite);
    describeTokens(suite);
    describeOldest(suite);
    describe('yield', () => describeYield(suite));
    describe('the notes of processes', () => describeNotes(suite));

    it('answers a probe', async () => {
      expect(await suite.probed()).toEqual({ kind: 'up' });
    });

    it('answers every call later than it returns, once, in order, and for the node index that it was asked by', async () => {
      const claim = suite.claimOf(suite.fresh());
      const { node } = suite.under;
      const answers: string[] = [];
      const question = {
        claim,
        proposal: 0,
        tokens: 1,
        ttl: 60_000,
        answer: (nodeIndex: number, { kind }: { readonly kind: string }) => void answers.push(`${nodeIndex}: ${kind}`),
      };
      node.acquire(question, 3);
      node.yield(question, 1);
      node.extend(question, 4);
      node.release(question, 1);
      node.release(question, 5);
      expect(answers).toEqual([]);
      await suite.probed();
      expect(answers).toEqual(['3: granted', '1: kept', '4: extended', '1: released', '5: gone']);
    });

    it('has a name for errors', () => {
      expect(suite.under.node.name.length).toBeGreaterThan(3);
    });
  });
}
