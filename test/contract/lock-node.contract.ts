import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProbeAnswer } from '../../lib/core/lock-node.js';
import { describeAcquire } from './acquire.contract.js';
import { ContractSuite, type NodeUnderTest } from './contract-suite.js';
import { describeExtend } from './extend.contract.js';
import { describeRelease } from './release.contract.js';

/** What every node must do alike, so that tests in memory tell the truth about Redis. */
export function describeLockNode(name: string, setUp: () => Promise<NodeUnderTest>): void {
  describe(`${name} as a LockNode`, () => {
    const suite = new ContractSuite();
    beforeAll(() => suite.begin(setUp));
    afterAll(() => suite.under.stop());

    describe('acquire', () => describeAcquire(suite));
    describe('extend', () => describeExtend(suite));
    describe('release', () => describeRelease(suite));

    const probed = () => new Promise<ProbeAnswer>((resolve) => suite.under.node.probe(resolve));

    it('answers a probe', async () => {
      expect(await probed()).toEqual({ kind: 'up' });
    });

    it('answers every call later than it returns, once, and in order', async () => {
      const claim = suite.claimOf(suite.fresh());
      const { node } = suite.under;
      const answers: string[] = [];
      node.acquire(claim, 60_000, ({ kind }) => answers.push(kind));
      node.extend(claim, 60_000, ({ kind }) => answers.push(kind));
      node.release(claim, 60_000, ({ kind }) => answers.push(kind));
      node.release(claim, 60_000, ({ kind }) => answers.push(kind));
      expect(answers).toEqual([]);
      await probed();
      expect(answers).toEqual(['granted', 'extended', 'released', 'gone']);
    });

    it('has a name for errors', () => {
      expect(suite.under.node.name.length).toBeGreaterThan(3);
    });
  });
}
