import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompiledLib } from '../../support/compiled-lib.js';

/** Has entries come and go, 64 of them there at a time, and says how many bytes of each V8 has moved to its old generation. */
const SCRIPT = `
  import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { SlotTable } from './core/collections/slot-table.js';

  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const map = new Map();
  const table =
    process.argv[2] === 'table'
      ? new SlotTable()
      : { add: (entry) => map.set(entry.name, entry), delete: ({ name }) => map.delete(name) };
  const AT_A_TIME = 64;
  const COUNT = 64_000;
  const there = new Array(AT_A_TIME);
  const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size;

  const comeAndGo = (from) => {
    for (let index = from; index < from + COUNT; index += 1) {
      const before = there[index % AT_A_TIME];
      if (before) table.delete(before);
      const entry = { name: 'lock:' + index };
      table.add(entry);
      there[index % AT_A_TIME] = entry;
      if (index % 1_000 === 0) gc({ type: 'minor' });
    }
  };
  comeAndGo(0);
  gc();
  const before = oldBytes();
  comeAndGo(COUNT);
  console.log((oldBytes() - before) / COUNT);
`;

describe('SlotTable', () => {
  let lib: CompiledLib;

  beforeAll(async () => {
    lib = await CompiledLib.make();
  });

  afterAll(() => lib.remove());

  const oldBytesOfEach = async (kind: 'table' | 'map'): Promise<number> => Number(await lib.outputOf(SCRIPT, [kind]));

  it('leaves to the next full collection less than a third of what a map leaves of entries that have come and gone', async () => {
    const [ofTable, ofMap] = [await oldBytesOfEach('table'), await oldBytesOfEach('map')];
    // Nearly all of it are entries that were there at the small collections.
    expect(ofTable).toBeLessThan(ofMap / 3);
  });
});
