import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ModuleRef } from '@nestjs/core';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { RedlockStatus, StatusOptions } from '../../../lib/engine/status.js';
import { RedlockHealthIndicator } from '../../../lib/terminus/redlock-health.indicator.js';

type Votes = readonly boolean[];

/** What terminus 11 has: no `degraded`. */
class OlderHealth {
  check(key: string): object {
    const session = new HealthIndicatorService().check(key);
    return { up: session.up.bind(session), down: session.down.bind(session) };
  }
}

describe('RedlockHealthIndicator', () => {
  let votes: Votes;
  const status = jest.fn(async (_options?: StatusOptions): Promise<RedlockStatus> => {
    const nodes = votes.map((vote, index) => ({ node: `node-${index + 1}`, up: vote, votes: vote }));
    return { nodes, quorum: 2, quorumReachable: true };
  });
  const pools: Record<string, object> = { RedlockService: { status }, 'RedlockService(billing)': { status } };
  const moduleRef = {
    get: (token: string, { strict }: { strict: boolean }) => {
      if (strict || !(token in pools)) throw new Error(`Nest could not find ${token}`);
      return pools[token];
    },
  } as unknown as ModuleRef;
  const indicatorOn = (health: unknown): RedlockHealthIndicator =>
    new RedlockHealthIndicator(health as HealthIndicatorService, moduleRef);
  let indicator: RedlockHealthIndicator;

  beforeEach(() => {
    votes = [true, true, true];
    status.mockClear();
    indicator = indicatorOn(new HealthIndicatorService());
  });

  it.each<[Votes, string]>([
    [[true, true, true], 'up'],
    [[true, false, true], 'degraded'],
    [[false, false, true], 'down'],
  ])('of nodes that vote %j says %s', async (given, state) => {
    votes = given;
    expect(await indicator.check('locks')).toMatchObject({ locks: { status: state } });
  });

  it('says up where terminus knows no degraded, and that it is impaired', async () => {
    votes = [true, false, true];
    const older = indicatorOn(new OlderHealth());
    expect(await older.check('locks')).toMatchObject({ locks: { status: 'up', impaired: true, margin: 0 } });
  });

  it.each<[unknown, object]>([
    [new HealthIndicatorService(), { status: 'degraded', margin: -1 }],
    [new OlderHealth(), { status: 'up', impaired: true, margin: -1 }],
  ])('does not say down where that is not wanted', async (health, told) => {
    votes = [false, false, true];
    expect(await indicatorOn(health).check('locks', { whenDown: 'degraded' })).toMatchObject({ locks: told });
  });

  it('is called redlock unless it has another key', async () => {
    expect(Object.keys(await indicator.check())).toEqual(['redlock']);
  });

  it('asks the pool that it is told, once for all checks of it', async () => {
    const checks = ['a', 'b'].map((key) => indicator.check(key, { timeout: 300 }));
    await Promise.all([...checks, indicator.check('c', { pool: 'billing' })]);
    expect(status.mock.calls).toEqual([[{ timeout: 300 }], [{ timeout: undefined }]]);
  });

  it.each([0, -1, Number.NaN, 2 ** 31])(
    'is down where the timeout is %d, for this check and no other of the pool',
    async (timeout) => {
      expect(await indicator.check('wrong', { timeout })).toMatchObject({
        wrong: { status: 'down', message: expect.stringContaining('timeout') },
      });
      expect(await indicator.check('right')).toMatchObject({ right: { status: 'up' } });
    },
  );

  it('is down, and does not throw, where there is no such pool', async () => {
    const told = await indicator.check('locks', { pool: 'biling', whenDown: 'degraded' });
    expect(told).toEqual({ locks: { status: 'down', message: 'Nest could not find RedlockService(biling)' } });
  });

  it('is down, and does not throw, where the state is not known', async () => {
    status.mockRejectedValueOnce(new Error('two addresses lead to one server'));
    const told = await indicator.check('locks', { details: false });
    expect(told).toEqual({ locks: { status: 'down', message: 'the state of the nodes is not known' } });
  });
});
