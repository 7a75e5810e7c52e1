import { afterEach, describe, expect, it } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { RedlockModule } from '../../../lib/redlock.module.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { RedlockTesting } from '../../../lib/testing/redlock-testing.js';
import { RedlockTestingModule } from '../../../lib/testing/redlock-testing.module.js';
import type { RedlockTestingOptions } from '../../../lib/testing/redlock-testing.options.js';

/** Ms; so long new nodes do not vote. */
const MAX_TTL = 300;

let module: TestingModule | undefined;
const build = async (options: RedlockTestingOptions, app?: Parameters<typeof RedlockModule.forRoot>[0]) => {
  const imports = [RedlockTestingModule.forRoot(options), ...(app ? [RedlockModule.forRoot(app)] : [])];
  module = await Test.createTestingModule({ imports }).compile();
  return module;
};

afterEach(async () => {
  await module?.close();
  module = undefined;
});

describe('waitForQuorum of RedlockTestingModule', () => {
  it.each([true, 10_000])('%s holds the start up until new nodes vote', async (waitForQuorum) => {
    const app = await build({ restartQuarantine: true, maxTtl: MAX_TTL, waitForQuorum });
    await app.init();
    await expect(app.get(RedlockService).status()).resolves.toMatchObject({ quorumReachable: true });
  });

  it('of so many ms lets the start fail where nodes are down, and says why', async () => {
    const app = await build({ waitForQuorum: 50 });
    app.get(RedlockTesting).outage(2);
    await expect(app.init()).rejects.toThrow(
      /^No quorum of nodes within 50 ms \(waitForQuorum\): 1 of 3 nodes vote, 2 needed; node-1: connection refused/,
    );
  });

  it('is false, whatever the application says, unless the test asks for a wait', async () => {
    const app = await build(
      { restartQuarantine: true, maxTtl: MAX_TTL },
      { nodes: ['redis://127.0.0.1:1'], waitForQuorum: true },
    );
    await app.init();
    await expect(app.get(RedlockService).status()).resolves.toMatchObject({ quorumReachable: false });
  });
});
