import { beforeEach, describe, expect, it } from '@jest/globals';
import { FencingWorld } from '../../support/fencing-world.js';

const world = new FencingWorld();

describe.each([
  ['one resource', 'a' as const],
  ['several resources', ['a', 'b'] as const],
])('a call for %s whose nodes have yet to agree on its token', (_, resource) => {
  const options = { ttl: 10_000, waitTimeout: 100 };
  /** What the call ends with, and when. */
  const end = (given = {}): Promise<unknown[]> => {
    const { redlock } = world.pool.client({ nodeTimeout: 5_000 });
    const now = (): number => world.pool.clock.now().monotonic;
    return world.pool.clock.until(
      redlock.acquire(resource, { ...options, ...given }).then(
        () => ['acquired', now()],
        ({ code }: { code: string }) => [code, now()],
      ),
    );
  };

  beforeEach(() => {
    world.renew();
    world.count(world.proposal() + 5, [2]);
    world.pool.nodes[0]!.fail('down');
  });

  it('has the lock where they do within 250 ms, although its time is up before that', async () => {
    world.pool.nodes[1]!.faults = { raise: { slow: 240 } };
    expect(await end()).toEqual(['acquired', 240]);
  });

  it.each([
    [250, 100],
    [400, 400],
  ])('ends after %i ms where they do not, and its time is up after %i ms', async (at, waitTimeout) => {
    world.pool.nodes[1]!.faults = { raise: 'silent' };
    expect(await end({ waitTimeout })).toEqual(['QUORUM_NOT_REACHED', at]);
  });

  it('ends at once where it is aborted', async () => {
    world.pool.nodes[1]!.faults = { raise: 'silent' };
    const abort = new AbortController();
    world.pool.clock.schedule(40, () => abort.abort(Object.assign(new Error('enough'), { code: 'enough' })));
    expect(await end({ signal: abort.signal })).toEqual(['enough', 40]);
  });
});
