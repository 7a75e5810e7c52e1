import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { crewOnNodes } from '../../support/lock-process/crew-on-nodes.js';
import type { LockProcess } from '../../support/lock-process/lock-process.js';
import { overlaps, type Hold, type Turn } from '../../support/lock-process/turn.js';
import { nothingLeft, standing } from '../../support/node-lines.js';

/** Ms. */
const APART = 60;

describe('waiters of several processes', () => {
  const { crew, pool } = crewOnNodes(5);

  /** Each asks so long after the one before it that it may not go first: callers of one process may go up to 50 ms ahead. */
  const arrive = async (members: readonly LockProcess[], resource: string): Promise<Turn[]> => {
    const turns: Turn[] = [];
    for (const member of members) {
      const options = { retryDelay: 60_000, waitTimeout: 120_000 };
      const turn = member.take({ resource, options, hold: 1 });
      const asked = await turn.asked;
      await eventually(() => expect(Date.now()).toBeGreaterThan(asked + APART));
      turns.push(turn);
    }
    return turns;
  };
  const namesInOrder = (holds: readonly Hold[]): string[] =>
    [...holds].sort((a, b) => a.from - b.from).map(({ name }) => name);

  it.each([
    ['one after the other', (lap: number, _block: number) => lap],
    ['all of one process first', (_lap: number, block: number) => block],
  ])('are served in the order of arrival, %s', async (_, pick) => {
    const [client, members] = await Promise.all([pool.client(), crew.start(4, pool.urls)]);
    const resource = pool.resource();
    const lock = await client.redlock.acquire(resource, { ttl: 60_000 });
    const places = Array.from({ length: 20 }, (__, place) => pick(place % 4, Math.floor(place / 5)));
    const turns = await arrive(
      places.map((place) => members[place]!),
      resource,
    );
    await standing(pool, 4, resource);
    await lock.release();
    expect(await Promise.all(turns.map(({ outcome }) => outcome))).toEqual(turns.map(() => 'acquired'));
    const holds = (await Promise.all(turns.map(({ hold }) => hold))).map((hold) => hold!);
    expect(namesInOrder(holds)).toEqual(turns.map(({ id }) => id));
    expect(overlaps(holds)).toEqual([]);
    await nothingLeft(pool, resource);
  });
});
