import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ShimmedClock } from '../../support/clock-shim.js';
import { CompiledLib } from '../../support/compiled-lib.js';
import { CronReplica, type ReplicaSettings } from '../../support/nest/cron-replica.js';
import { Deferred } from '../../support/nest/deferred.js';
import { startRedisServers, stopAll, type RedisServer } from '../../support/redis-server.js';
import { describeWithClocks } from '../../support/with-clocks.js';

/** Ms. */
const BEHIND = 700;

describeWithClocks(`a job that comes every second on two replicas, one ${BEHIND} ms behind`, () => {
  let servers: RedisServer[];
  let lib: CompiledLib;
  let clock: ShimmedClock;
  let replicas: CronReplica[] = [];
  let changed = new Deferred();

  beforeAll(async () => {
    [servers, lib, clock] = await Promise.all([
      startRedisServers(3),
      CompiledLib.make({ whole: true }),
      ShimmedClock.make(-BEHIND),
    ]);
  });

  afterEach(() => Promise.all(replicas.map((replica) => replica.kill())));

  afterAll(async () => {
    await Promise.all([clock.remove(), lib.remove()]);
    await stopAll();
  });

  async function start(settings: Omit<ReplicaSettings, 'nodes'>): Promise<void> {
    const nodes = servers.map(({ url }) => url);
    const told = (): void => {
      changed.resolve();
      changed = new Deferred();
    };
    replicas = await Promise.all(
      [{}, clock.env].map((env) => CronReplica.start(lib, { nodes, ...settings }, { env, told })),
    );
  }

  async function until(so: () => boolean): Promise<void> {
    while (!so()) await changed.promise;
  }

  /** How often the job ran in each of the seconds in which it came round on both. */
  function runs(): number[] {
    const [right, behind] = replicas.map(({ came }) => came);
    const ran = replicas.flatMap((replica) => replica.ran);
    return [...right!].filter((tick) => behind!.has(tick)).map((tick) => ran.filter((other) => other === tick).length);
  }

  it('runs twice where its lock goes with its end', async () => {
    await start({});
    await until(() => runs().includes(2));
    expect(Math.max(...runs())).toBe(2);
  }, 60_000);

  it('runs once with minHold, and is skipped on the other one', async () => {
    await start({ minHold: 20_000 });
    await until(() => runs().length >= 4);
    expect(new Set(runs())).toEqual(new Set([1]));
  }, 60_000);
});
