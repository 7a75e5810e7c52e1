import { beforeEach, describe, expect, it } from '@jest/globals';
import { FencingWorld } from '../../support/fencing-world.js';

const world = new FencingWorld();

describe.each([
  ['one resource', 'a' as const],
  ['several resources', ['a', 'b'] as const],
])('a call for %s whose nodes have yet to agree on its token', (_, resource) => {
  const end = (options = {}): Promise<unknown[]> => {
    const { redlock } = world.pool.client({ nodeTimeout: 5_000 });
    return world.pool.endOf(redlock.acquire(resource, { ttl: 10_000, waitTimeout: 100, ...options }));
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
    world.pool.clock.schedule(40, () => abort.abort(new Error('enough')));
    expect(await end({ signal: abort.signal })).toEqual(['enough', 40]);
  });
});
