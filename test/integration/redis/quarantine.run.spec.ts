import { afterEach, describe, expect, it } from '@jest/globals';
import { BatchEncoder } from '../../../lib/redis/codec.js';
import { wordsOf } from '../../support/command-words.js';
import { RedisPool } from '../../support/redis-pool.js';
import type { RedisPoolClient } from '../../support/redis-pool-client.js';
import { onDisk, startTrusted } from '../../support/wary-redis.js';

const terms = { maxTtl: 4_000, restartQuarantine: true };

describe('the run of a node', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const infoOf = async (section: string, pattern: RegExp): Promise<string> =>
    pattern.exec(await pool.ask(0, (redis) => redis.info(section)))?.[1] ?? '';
  const runNow = (): Promise<string> => infoOf('server', /run_id:(\w+)/);
  const infosSoFar = async (): Promise<number> => Number(await infoOf('commandstats', /cmdstat_info:calls=(\d+)/));
  const lockOften = async ({ redlock }: RedisPoolClient): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await (await redlock.acquire('a')).release();
  };

  /** What a call that claims to know this run of the node is answered, if it wants a vote. */
  const askClaiming = (run: string): Promise<unknown> => {
    const encoder = new BatchEncoder({ keyPrefix: '', channel: 'nobody', ...terms });
    const usual = { ttl: 1_000, proposal: Date.now() * 1_000, count: 1 };
    const operation = { kind: 'acquire', resource: 'claimed', value: 'value', ...usual } as const;
    const [words] = wordsOf(encoder.wire([operation], run));
    return pool.ask(0, (redis) => redis.call(words![0]!, ...words!.slice(1)));
  };

  it('is asked for when a connection begins, and with no lock after that', async () => {
    pool = await startTrusted(1, terms.maxTtl);
    const client = await pool.client({ trust: terms });
    await lockOften(client);
    // What we ask ourselves counts too.
    const [before, between] = [await infosSoFar(), await infosSoFar()];
    await lockOften(client);
    expect((await infosSoFar()) - between).toBe(between - before);
  });

  it('is asked for with every lock when the marker is of another run, which no client believes', async () => {
    pool = await startTrusted(1, terms.maxTtl);
    await pool.client({ trust: terms });
    const run = await runNow();
    await expect(askClaiming(run)).resolves.toEqual(expect.any(Number));
    await pool.ask(0, (redis) => redis.set('~node', `${'f'.repeat(40)}|1|${terms.maxTtl}`));
    await expect(askClaiming(run)).resolves.toEqual([expect.any(Number), ['q', expect.any(Number)]]);
  });

  it.each(['', '|', '|1', '|1|', '|1|x', '0|1|4000', 'x|1|4000'])(
    'is asked for where the marker only begins as it should: with %j behind the run',
    async (rest) => {
      pool = await startTrusted(1, terms.maxTtl);
      await pool.client({ trust: terms });
      const run = await runNow();
      await pool.ask(0, (redis) => redis.set('~node', `${run}${rest}`));
      await expect(askClaiming(run)).resolves.toEqual([expect.any(Number), ['q', expect.any(Number)]]);
      expect(await pool.owners('~node')).toEqual([expect.stringMatching(new RegExp(`^${run}\\|\\d{16}\\|4000$`))]);
    },
  );

  it('is asked for where another one is claimed than that of the marker, which may be right', async () => {
    pool = await startTrusted(1, terms.maxTtl);
    await pool.client({ trust: terms });
    await expect(askClaiming('f'.repeat(40))).resolves.toEqual(expect.any(Number));
  });

  onDisk(
    'that a connection knows is over with a restart, also where a proxy hides that from the connection',
    async () => {
      pool = await startTrusted(1, terms.maxTtl);
      const client = await pool.client({ trust: terms });
      const run = await runNow();
      await pool.ask(0, (redis) => redis.save());
      await client.redlock.close();
      await pool.servers[0]!.restart();
      expect(await pool.owners('~node')).toEqual([expect.stringContaining(run)]);
      await expect(askClaiming(run)).rejects.toThrow(/NOSCRIPT/);
      // The client that loads the script has the node checked in the same call.
      const next = await pool.client({ trust: terms });
      await next.untilTold('node-quarantined');
      await expect(askClaiming(run)).resolves.toEqual([expect.any(Number), ['q', expect.any(Number)]]);
    },
  );
});
