import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.js';
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
let proxies: FaultProxy[];

beforeEach(async () => {
  servers = await startRedisServers(5);
});

const killed = (node: number): Promise<void> => servers[node]!.kill();
const frozen = (node: number): Promise<void> => servers[node]!.freeze();
const slow = async (node: number): Promise<void> => void (proxies[node]!.replyDelay = 600);

describe.each([
  ['killed', killed],
  ['frozen', frozen],
  ['slow', slow],
])('one reply for 20 requests to two replicas, of whose five nodes two are %s', (_how, fail) => {
  const DUPLICATES = 20;
  const door = new Door();
  let apps: TestApp[];

  beforeEach(async () => {
    door.reset();
    proxies = await Promise.all(servers.map(startFaultProxy));
    const metadata = () => bills(door, [poolOn(proxies), RedlockIdempotencyModule.forRoot({ isGlobal: true })]);
    apps = await Promise.all([TestApp.start('Express', metadata()), TestApp.start('Fastify', metadata())]);
  });

  afterEach(async () => {
    door.open();
    await endAll();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  const request = (index: number): Promise<RawReply> => call(apps[index % apps.length]!.url, 'bills', { key: 'k1' });
  const duplicates = (): Promise<RawReply[]> => Promise.all(Array.from({ length: DUPLICATES }, (_, at) => request(at)));
  const failTwo = (): Promise<unknown> => Promise.all([1, 3].map(fail));

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

describe('a call whose nodes are out of reach when its reply is to be kept', () => {
  const KEY = 'order:1';
  const replicas = new OnceOnNodes();
  let one: ReplicaOnNodes;
  let two: ReplicaOnNodes;
  let previous: string[];

  beforeEach(async () => {
    previous = [];
    proxies = await Promise.all(servers.map(startFaultProxy));
    [one, two] = await Promise.all([replicas.start(proxies, { ttl: 1_000 }), replicas.start(servers, { ttl: 1_000 })]);
  });

  afterEach(async () => {
    await replicas.close();
    await endAll();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  const ask = ({ idempotency }: ReplicaOnNodes, lost: number, onInterrupted?: 'refuse'): Promise<string> =>
    idempotency.once(
      KEY,
      async ({ previous: before }) => {
        previous.push(before);
        for (const proxy of proxies.slice(0, lost)) proxy.blackhole = true;
        return `run ${previous.length}`;
      },
      onInterrupted && { onInterrupted },
    );

  it.each<[string, string, number, number, string]>([
    ['none', 'is interrupted for the next one, which runs', 5, 0, 'run 2'],
    ['a minority', 'is found by a next one that needs this minority', 3, 2, 'run 1'],
  ])('and that reaches %s of them, has its own reply, and %s', async (_reached, _what, lost, dead, reply) => {
    expect(await ask(one, lost)).toBe('run 1');
    expect([one.log.count('unkept', KEY), one.log.count('kept', KEY)]).toEqual([1, 0]);
    await Promise.all(servers.slice(0, dead).map((server) => server.kill()));
    expect(await ask(two, 0)).toBe(reply);
    expect(previous).toEqual(reply === 'run 1' ? ['none'] : ['none', 'interrupted']);
  });

  it('gives its reply to a caller that waits, if its connections are back while it has the lock', async () => {
    await replicas.close();
    [one, two] = await Promise.all([replicas.start(proxies), replicas.start(servers)]);
    const door = new Door();
    door.shut();
    const first = one.idempotency.once(KEY, async () => {
      await door.pass();
      for (const proxy of proxies) proxy.resetAll();
      return 'run 0';
    });
    await door.untilVisits(1);
    const waiting = ask(two, 0);
    await two.log.until('contended', KEY);
    door.open();
    expect([await first, await waiting, previous]).toEqual(['run 0', 'run 0', []]);
    expect([one.log.count('kept', KEY), two.log.count('interrupted', KEY)]).toEqual([1, 0]);
  });

  it("is not run again with onInterrupted: 'refuse'", async () => {
    await ask(one, 5);
    await expect(ask(two, 0, 'refuse')).rejects.toMatchObject({ code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' });
    expect(previous).toEqual(['none']);
  });
});
