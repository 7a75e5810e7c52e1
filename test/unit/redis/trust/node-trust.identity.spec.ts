import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { SystemClock } from '../../../../lib/core/time/system-clock.js';
import { BatchEncoder } from '../../../../lib/redis/batch/batch-encoder.js';
import { NodeTrust } from '../../../../lib/redis/trust/node-trust.js';
import { eventually } from '../../../support/eventually.js';

const refusal = Object.assign(new Error('NOPERM no permissions'), { name: 'ReplyError' });

/** A connection to a node that tells of itself when it is asked to. */
class Connection {
  asked = 0;
  tell: (info: string) => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  get redis(): Redis {
    return {
      info: (section?: string) => {
        if (section !== undefined) return Promise.reject(refusal);
        this.asked += 1;
        return new Promise((resolve, reject) => ([this.tell, this.fail] = [resolve, reject]));
      },
      get: () => Promise.resolve(null),
      exists: () => Promise.resolve(0),
      sendCommand: () => Promise.resolve(),
    } as unknown as Redis;
  }
}

describe('NodeTrust, of which server it is,', () => {
  let trust: NodeTrust;
  /** How often it was said that it is known. */
  let identified: number;
  const begin = (): { connection: Connection; done: Promise<void> } => {
    const connection = new Connection();
    return { connection, done: trust.examine(connection.redis) };
  };

  beforeEach(() => {
    identified = 0;
    const clock = new SystemClock();
    trust = new NodeTrust(new BatchEncoder('p:', { maxTtl: 1_000, restartQuarantine: true }, clock), {
      clock,
      notify: () => undefined,
      identified: () => (identified += 1),
      send: () => undefined,
    });
  });

  it('lets nothing count before that is known, on every new connection', async () => {
    for (const run of ['abc', 'abc', 'def']) {
      const { connection, done } = begin();
      expect(trust.obstacle).toMatch(/not known yet/);
      connection.tell(`run_id:${run}\r\n`);
      await done;
      expect([trust.obstacle, trust.runId]).toEqual([undefined, run]);
    }
    expect(identified).toBe(3);
  });

  it('tells of it before anything else is sent', async () => {
    const { connection, done } = begin();
    const order: string[] = [];
    void done.then(() => order.push(`usable, told ${identified}`));
    connection.tell('run_id:abc\r\n');
    await done;
    expect(order).toEqual(['usable, told 1']);
  });

  it.each(['BUSY Redis is busy running a script.', 'LOADING Redis is loading the dataset in memory'])(
    'asks again where the node cannot say it now: %s',
    async (message) => {
      const { connection, done } = begin();
      connection.fail(Object.assign(new Error(message), { name: 'ReplyError' }));
      connection.tell = () => undefined;
      await eventually(() => {
        expect(trust.obstacle).toMatch(/not known yet/);
        connection.tell('run_id:abc\r\n');
        expect(connection.asked).toBe(2);
      });
      await done;
      expect([trust.obstacle, trust.runId, identified]).toEqual([undefined, 'abc', 1]);
    },
  );

  it('goes on without where the node does not say, and forgets what an earlier one said', async () => {
    const first = begin();
    first.connection.tell('run_id:abc\r\n');
    await first.done;
    const second = begin();
    second.connection.fail(refusal);
    await second.done;
    expect([trust.obstacle, trust.runId, identified]).toEqual([undefined, undefined, 2]);
  });

  it('does not take a connection that breaks for an answer, nor word from one that is gone', async () => {
    const [gone, present] = [begin(), begin()];
    gone.connection.tell('run_id:abc\r\n');
    await gone.done;
    present.connection.fail(new Error('Connection is closed.'));
    await present.done;
    expect([trust.runId, identified]).toEqual([undefined, 0]);
    expect(trust.obstacle).toMatch(/not known yet/);
  });

  it('says why it is barred, until that ends', async () => {
    const { connection, done } = begin();
    connection.tell('run_id:abc\r\n');
    await done;
    trust.bar('it leads to the same server as another');
    expect(trust.obstacle).toBe('it leads to the same server as another');
    trust.bar(undefined);
    expect(trust.obstacle).toBeUndefined();
  });
});
