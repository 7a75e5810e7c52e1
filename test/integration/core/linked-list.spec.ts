import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompiledLib } from '../../support/compiled-lib.js';

/** Has waiters come and go, 64 of them there at a time, and says how many bytes of each V8 has moved to its old generation. */
const SCRIPT = `
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { LinkedList } from './core/collections/linked-list.js';

  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const set = new Set();
  const list =
    process.argv[2] === 'list'
      ? new LinkedList()
      : { add: (waiter) => set.add(waiter), shift: () => set.delete(set.values().next().value) };
  const AT_A_TIME = 64;
  const COUNT = 64_000;
  const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;

  const comeAndGo = () => {
    for (let index = 0; index < COUNT; index += 1) {
      list.shift();
      list.add({ waiter: new Array(16).fill(index) });
      if (index % 1_000 === 0) gc({ type: 'minor' });
    }
  };
  for (let waiter = 0; waiter < AT_A_TIME; waiter += 1) list.add({ waiter });
  comeAndGo();
  gc();
  const before = oldBytes();
  comeAndGo();
  console.log((oldBytes() - before) / COUNT);
`;

describe('LinkedList', () => {
  let lib: CompiledLib;

  beforeAll(async () => {
    lib = await CompiledLib.make();
  });

  afterAll(() => lib.remove());

  const oldBytesOfEach = async (kind: 'list' | 'set'): Promise<number> => Number(await lib.outputOf(SCRIPT, [kind]));

  it('leaves to the next full collection less than a third of what a set leaves of entries that have come and gone', async () => {
    const [ofList, ofSet] = [await oldBytesOfEach('list'), await oldBytesOfEach('set')];
    // Nearly all that is left are entries that were there at the small collections.
    expect(ofList).toBeLessThan(ofSet / 3);
  });
});
