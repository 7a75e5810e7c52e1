import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockClosedError } from '../../../lib/engine/errors.js';
import { nodesStore, RedlockIdempotencyModule, type ReplyStore } from 'nestjs-redlock/idempotency';
import { eventually } from '../../support/eventually.js';
import { bills } from '../../support/nest/bills.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn, type PoolOptions } from '../../support/nest/nodes.js';
import { PLATFORMS, TestApp } from '../../support/nest/test-app.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';
import { call, type RawReply } from './http-call.js';

const BILL = { status: 201, text: '{"id":1,"secret":"secret of bill 1"}' };

const door = new Door();
let servers: RedisServer[];
let others: RedisServer[];
let one: TestApp;
let two: TestApp;

const first = (signal?: AbortSignal): Promise<RawReply> =>
  call(one.url, 'bills', { key: 'k1', ...(signal && { signal }) });
const retry = (): Promise<RawReply> => call(two.url, 'bills', { key: 'k1' });

/** A request whose client hangs up while its handler runs. */
const leave = async (): Promise<void> => {
  const gone = new AbortController();
  const left = first(gone.signal).catch(() => undefined);
  await door.untilVisits(1);
  gone.abort();
  await left;
};

/** Resolves once the pool of the closing application grants no locks any more, and waits for those who hold some. */
const untilDraining = (): Promise<void> =>
  eventually(() => expect(one.redlock.withLock('probe', () => undefined)).rejects.toThrow(RedlockClosedError));

beforeEach(async () => {
  door.reset();
  servers = await startRedisServers(5);
  others = await startRedisServers(3);
});

afterEach(async () => {
  door.open();
  await endAll();
});

const onTheNodesOfTheLocks = (): undefined => undefined;
const onOtherNodes = (): ReplyStore =>
  nodesStore({ nodes: others.map(({ url }) => url), restartQuarantine: false, nodeTimeout: 3_000 });

describe.each([
  ['the nodes of the locks', onTheNodesOfTheLocks],
  ['other nodes', onOtherNodes],
])('an application that is closed while a handler runs, with its replies on %s', (_where, storeOf) => {
  const start = async (platform: (typeof PLATFORMS)[number], options: PoolOptions = {}): Promise<void> => {
    const metadata = () =>
      bills(door, [poolOn(servers, options), RedlockIdempotencyModule.forRoot({ isGlobal: true, store: storeOf() })]);
    [one, two] = await TestApp.pair(platform, metadata);
    door.shut();
  };

  it.each(PLATFORMS)('answers a client that waits, and keeps the reply: %s', async (platform) => {
    await start(platform);
    const answer = first();
    await door.untilVisits(1);
    const closed = one.close();
    door.open();
    expect(await answer).toMatchObject(BILL);
    const replay = await retry();
    expect(replay).toMatchObject({ ...BILL, headers: { 'idempotent-replayed': 'true' } });
    await closed;
    expect([door.visits, one.log.count('kept'), one.log.count('unkept')]).toEqual([['none'], 1, 0]);
  });

  it.each(PLATFORMS)('runs to the end for a client that has hung up, and keeps the reply: %s', async (platform) => {
    await start(platform);
    await leave();
    const closed = one.close();
    await untilDraining();
    door.open();
    await closed;
    expect([door.visits, one.log.count('kept'), one.log.count('unkept')]).toEqual([['none'], 1, 0]);
    expect(await retry()).toMatchObject({ ...BILL, headers: { 'idempotent-replayed': 'true' } });
    expect(door.visits).toEqual(['none']);
  });

  it('leaves an interrupted attempt behind that takes longer than shutdownTimeout', async () => {
    await start('Express', { shutdownTimeout: 100 });
    await leave();
    await one.close();
    const answer = retry();
    await door.untilVisits(2);
    door.open();
    expect(await answer).toMatchObject({ status: 201 });
    expect(door.visits).toEqual(['none', 'interrupted']);
  });
});
