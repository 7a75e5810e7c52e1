import { afterEach, describe, expect, it } from '@jest/globals';
import { closeLoneNodes, LoneNode } from '../../support/lone-node.js';
import { withRedis } from '../../support/redis-client.js';
import { startRedisServer, stopAll } from '../../support/redis-server.js';
import { TRUSTING } from '../../support/trust.js';
import { vouchFor } from '../../support/vouch.js';

const UNKNOWN = /^it runs no Lua scripts, which all locks need: allow EVAL and EVALSHA, .* update the server$/;
const FORBIDDEN = /^NOPERM .* - grant its user \+eval \+evalsha, which all locks need/;

/** Starts a node that lets nobody run scripts, or not this user; returns its address. */
const STARTS: Readonly<Record<string, readonly [() => Promise<string>, RegExp]>> = {
  'knows no EVAL': [async () => (await startRedisServer({ args: ['--rename-command', 'EVAL', ''] })).url, UNKNOWN],
  'lets its user run neither': [
    async () => {
      const { url } = await startRedisServer();
      const rights = ['on', '>s3cret', '~*', '&*', '+@all', '-eval', '-evalsha'];
      await withRedis(url, (redis) => redis.call('ACL', 'SETUSER', 'locks', ...rights));
      return url.replace('//', '//locks:s3cret@');
    },
    FORBIDDEN,
  ],
};

describe.each(Object.entries(STARTS))('a node that %s', (_case, [start, reason]) => {
  afterEach(async () => {
    await closeLoneNodes();
    await stopAll();
  });

  it.each([true, false])(
    'says so in one sentence as soon as it is connected; restarts count: %s',
    async (restartQuarantine) => {
      const url = await start();
      if (restartQuarantine) await vouchFor(url.replace(/locks:.*@/, ''), TRUSTING.maxTtl);
      const lone = await LoneNode.open(url, { ...TRUSTING, restartQuarantine });
      await lone.until('node-refused');
      const [node] = (await lone.redlock.status()).nodes;
      expect([node?.up, node?.votes, node?.reason]).toEqual([true, false, expect.stringMatching(reason)]);
      expect(lone.reasons('node-refused')).toEqual([expect.stringMatching(reason)]);
      expect(lone.types).not.toContain('node-warning');
    },
  );

  it('says so in the error of a lock, without the name of the lock', async () => {
    const lone = await LoneNode.open(await start());
    const error = await lone.redlock
      .acquire('user:ann@example.com', { waitTimeout: 0 })
      .catch((reason_: Error) => reason_);
    expect(error).toMatchObject({ code: 'QUORUM_NOT_REACHED', nodes: [{ outcome: 'refused' }] });
    expect((error as Error).message).toMatch(/no Lua scripts|'eval(sha)?'/);
    expect((error as Error).message).not.toContain('ann');
  });
});
