import { afterEach, describe, expect, it } from '@jest/globals';
import type { QuorumNotReachedError } from '../../../lib/engine/errors.js';
import { RedisPool } from '../../support/redis-pool.js';

describe('the error of a lock that nodes refuse', () => {
  let pool: RedisPool;
  afterEach(() => pool.stop());

  const replica = (server: number) => pool.ask(server, (redis) => redis.call('REPLICAOF', '127.0.0.1', '1'));
  const nodesOf = ({ nodes }: QuorumNotReachedError): unknown =>
    nodes.map(({ outcome, detail }) => (detail === undefined ? outcome : `${outcome}: ${detail.split(' ')[0]}`));

  it('says so, and why, and does not call the healthy node unknown', async () => {
    pool = await RedisPool.start(3);
    const client = await pool.client();
    await Promise.all([replica(0), replica(1)]);
    const error = await client.refusal();
    expect(error.message).toMatch(
      /^No quorum for "refused": 2 of 3 nodes refuse to vote; redis:\S+ refused \(READONLY [^)]*\), redis:\S+ refused \(READONLY/,
    );
    expect(error.message).not.toMatch(/too few nodes answered|unknown|user_script/);
    expect([['granted'], ['pending: not']]).toContainEqual((nodesOf(error) as string[]).slice(2));
  });

  it('says of how many there is no answer besides', async () => {
    pool = await RedisPool.start(3);
    const client = await pool.client({ nodeTimeout: 300 });
    await replica(0);
    await pool.servers[1]!.kill();
    const error = await client.refusal();
    expect(error.message).toMatch(/1 of 3 nodes refuse to vote, and 1 do not answer; /);
    expect((nodesOf(error) as string[])[0]).toBe('refused: READONLY');
  });
});
