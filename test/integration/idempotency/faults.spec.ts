import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockIdempotencyModule } from '../../../lib/idempotency/idempotency.module.js';
import { bills } from '../../support/nest/bills.js';
import { Door } from '../../support/nest/door.js';
import { endAll } from '../../support/nest/end-all.js';
import { poolOn } from '../../support/nest/nodes.js';
import { TestApp } from '../../support/nest/test-app.js';
import { OnceOnNodes, type ReplicaOnNodes } from '../../support/once-on-nodes.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServers, type RedisServer } from '../../support/redis-server.js';
import { call, type RawReply } from './http-call.js';

let servers: RedisServer[];

beforeEach(async () => {
  servers = await startRedisServers(5);
});

const killed = (server: RedisServer): Promise<void> => server.kill();
const frozen = (server: RedisServer): Promise<void> => server.freeze();

describe.each([
  ['killed', killed],
  ['frozen', frozen],
])('one reply for 20 requests to two replicas, of whose five nodes two are %s', (_how, fail) => {
  const DUPLICATES = 20;
  const door = new Door();
  let apps: TestApp[];

  beforeEach(async () => {
    door.reset();
    const metadata = () => bills(door, [poolOn(servers), RedlockIdempotencyModule.forRoot({ isGlobal: true })]);
    apps = await Promise.all([TestApp.start('Express', metadata()), TestApp.start('Fastify', metadata())]);
  });

  afterEach(async () => {
    door.open();
    await endAll();
  });

  const request = (index: number): Promise<RawReply> => call(apps[index % apps.length]!.url, 'bills', { key: 'k1' });
  const duplicates = (): Promise<RawReply[]> => Promise.all(Array.from({ length: DUPLICATES }, (_, at) => request(at)));
  const failTwo = (): Promise<unknown> => Promise.all([servers[1]!, servers[3]!].map(fail));

  /** Of these one has run, and all others are replays of it. */
  const expectOne = (replies: readonly RawReply[]): void => {
    expect(door.visits).toEqual(['none']);
    const seen = replies.map(({ status, text, headers: { location, etag } }) => ({ status, text, location, etag }));
    const reply = { status: 201, text: '{"id":1,"secret":"secret of bill 1"}', location: '/bills/1', etag: '"1"' };
    expect(seen).toEqual(Array(replies.length).fill(reply));
    const replays = replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(replays).toHaveLength(replies.length - 1);
    for (const { log } of apps) expect([log.count('unkept'), log.count('interrupted')]).toEqual([0, 0]);
  };

  it('before the first request', async () => {
    await failTwo();
    expectOne(await duplicates());
  });

  it('while the handler runs', async () => {
    door.shut();
    const replies = duplicates();
    await door.untilVisits(1);
    await failTwo();
    door.open();
    expectOne(await replies);
  });

  it('while the reply is being kept', async () => {
    door.shut();
    const replies = duplicates();
    await door.untilVisits(1);
    door.open();
    await failTwo();
    expectOne(await replies);
  });

  it('between two requests', async () => {
    const first = await request(0);
    await failTwo();
    expectOne([first, ...(await duplicates())]);
  });
});

describe('a call whose lease is lost while nobody else comes', () => {
  const KEY = 'order:1';
  const replicas = new OnceOnNodes();
  let one: ReplicaOnNodes;
  let two: ReplicaOnNodes;

  beforeEach(async () => {
    [one, two] = await Promise.all([replicas.start(servers, { ttl: 1_000 }), replicas.start(servers, { ttl: 1_000 })]);
  });

  afterEach(async () => {
    await replicas.close();
    await endAll();
  });

  const most = (): RedisServer[] => servers.slice(0, 3);
  const nothing = (): Promise<void> => Promise.resolve();

  it.each([
    [
      'because an operator has deleted its lock',
      () => Promise.all(servers.map(({ url }) => withRedis(url, (redis) => redis.del(`lock:${KEY}`)))),
      nothing,
    ],
    [
      'because too few nodes answer until it has ended',
      () => Promise.all(most().map((server) => server.freeze())),
      () => Promise.all(most().map((server) => server.thaw())),
    ],
  ])('has its reply kept and told, %s', async (_why, lose, repair) => {
    let runs = 0;
    const reply = await one.idempotency.once(KEY, async ({ signal }) => {
      runs += 1;
      const lost = once(signal, 'abort');
      await lose();
      await lost;
      await repair();
      return { run: runs };
    });
    expect(reply).toEqual({ run: 1 });
    expect([one.log.count('lost', KEY), one.log.count('kept', KEY), one.log.count('unkept')]).toEqual([1, 1, 0]);
    expect(await two.idempotency.once(KEY, async () => ({ run: (runs += 1) }))).toEqual({ run: 1 });
    expect([runs, two.log.count('replayed', KEY)]).toEqual([1, 1]);
  });
});
