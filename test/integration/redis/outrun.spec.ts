import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SingleCall } from '../../../lib/core/port/single-call.js';
import { Claim } from '../../../lib/core/port/claim.js';
import { SystemClock } from '../../../lib/core/time/system-clock.js';
import { Batch } from '../../../lib/redis/batch/batch.js';
import { BatchEncoder } from '../../../lib/redis/batch/batch-encoder.js';
import type { RedisPool } from '../../support/redis-pool.js';
import { PATIENT, type RedisPoolClient } from '../../support/redis-pool-client.js';
import { startTrusted } from '../../support/wary-redis.js';

const TRUST = { maxTtl: 300, restartQuarantine: true };
/** As many as where a lock may be passed on. Of single tokens no node gives as many as there are microseconds. */
const TOKENS = 64;
/** Ms by which the counter may be ahead, and by which it would be when it is enough: more than a quarantine lasts. */
const MAY_BE_AHEAD = TRUST.maxTtl / 2;
const FAR_AHEAD = 2 * TRUST.maxTtl;
/** Ms of what comes with one vote, and of the two clocks that are read one after the other. */
const TOLERANCE = 2;
const HAMMERED = 4_000;
/** As many as one script call takes, each with its release. */
const VOTES_AT_ONCE = 60;
const CALLS_AT_ONCE = 10;
const TERMS = { ...PATIENT, ttl: 200 };

describe('a fence counter that is asked for more tokens than there are microseconds', () => {
  const encoder = new BatchEncoder('', TRUST, new SystemClock());
  let pool: RedisPool;
  let client: RedisPoolClient;
  let sockets: Socket[];
  beforeAll(async () => {
    pool = await startTrusted(3, TRUST.maxTtl);
    client = await pool.client({ trust: TRUST });
  });
  beforeEach(async () => {
    sockets = pool.servers.map(({ url }) => connect(Number(new URL(url).port)));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  });
  afterEach(() => sockets.forEach((socket) => socket.destroy()));
  afterAll(() => pool.stop());

  /** A script call by which a client takes a resource and gives it back, again and again. */
  const turns = (resource: string): string => {
    const claim = new Claim([resource], '-'.repeat(27));
    const question = new SingleCall<never>(claim, TERMS.ttl);
    question.tokens = TOKENS;
    question.proposal = Date.now() * 1_000;
    const batch = new Batch();
    for (let turn = 0; turn < VOTES_AT_ONCE; turn += 1) {
      batch.add('A', question, 0);
      batch.add('R', question, 0);
    }
    return encoder.wire(batch, 'evalsha');
  };
  const send = async (socket: Socket, wire: string): Promise<void> => {
    socket.write(`${wire.repeat(CALLS_AT_ONCE)}PING\r\n`);
    for (;;) if (String(await once(socket, 'data')).endsWith('+PONG\r\n')) return;
  };
  /** Ms. */
  const ahead = async (resource: string): Promise<number> =>
    Number((await pool.counters(resource))[0]) / 1_000 - Date.now();
  const tokenOf = async (resource: string): Promise<number> => {
    const lock = await client.redlock.acquire(resource, TERMS);
    await lock.release();
    return lock.fencingToken;
  };

  it('is not ahead of the clock by more than a quarantine makes up for, also after a majority lost its memory', async () => {
    const resource = pool.resource();
    await tokenOf(resource);
    let most = 0;
    for (const end = performance.now() + HAMMERED; performance.now() < end && most < FAR_AHEAD;) {
      const wire = turns(resource);
      await Promise.all(sockets.map((socket) => send(socket, wire)));
      most = Math.max(most, await ahead(resource));
    }
    expect(most).toBeLessThanOrEqual(MAY_BE_AHEAD + TOLERANCE);
    const before = await tokenOf(resource);
    for (const server of [0, 1]) await pool.ask(server, (redis) => redis.flushall());
    expect((await tokenOf(resource)) - before).toBeGreaterThan(0);
  });
});
