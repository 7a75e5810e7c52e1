import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompiledLib } from '../../support/compiled-lib.js';
import { RedisPool } from '../../support/redis-pool.js';

/** Takes locks until their code is compiled, gives all of them back, and has V8 say what it throws away at full collections. */
const SCRIPT = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { Redlock } from './core/redlock.js';
  import { WarmUp } from './start-up/warm-up.js';
  import { SystemClock } from './core/time/system-clock.js';
  import { BatchEncoder } from './redis/batch/batch-encoder.js';
  import { toAddresses } from './redis/connection/settings/node-address.js';
  import { realParts } from './redis/connection/node-parts.js';
  import { RedisNode } from './redis/redis-node.js';

  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const [specimens, ...urls] = process.argv.slice(2);
  const clock = new SystemClock();
  const encoder = new BatchEncoder('', { maxTtl: 30_000, restartQuarantine: false }, clock);
  const nodes = toAddresses(urls).map((address) => new RedisNode(address, encoder, realParts(clock)));
  const redlock = new Redlock({ nodes, clock });
  const warmUp = new WarmUp();
  await Promise.all([redlock.open(), specimens === 'none' ? undefined : warmUp.collect()]);

  const lockAndRelease = async (worker) => {
    for (let turn = 0; turn < 1_000; turn += 1) {
      const lock = await redlock.acquire('lock:' + worker + ':' + turn, { ttl: 5_000 });
      await lock.release();
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, worker) => lockAndRelease(worker)));

  setFlagsFromString('--trace-deopt');
  for (let collection = 0; collection < 4; collection += 1) {
    await new Promise(setImmediate);
    gc();
  }
  setFlagsFromString('--no-trace-deopt');
  await redlock.close();
`;

/** Functions that every batch goes through; which of them stand alone in compiled code, and not within others, differs. */
const PARTS = [
  'Batch',
  'add',
  'flush',
  'isLike',
  '#encode',
  '#ask',
  '#send',
  'readUsual',
  '#settle',
  'Command',
  'WireCommand',
  'initPromise',
  'sendCommand',
  'toWritable',
  'resolve',
  '#end',
  'giveUp',
];

describe('WarmUp', () => {
  let lib: CompiledLib;
  let pool: RedisPool;

  beforeAll(async () => {
    [lib, pool] = await Promise.all([CompiledLib.make(), RedisPool.start(3)]);
  });

  afterAll(() => Promise.all([lib.remove(), pool.stop()]));

  /** Those parts whose code V8 threw away, since none of them was left at a full garbage collection. */
  const forgotten = async (specimens: string): Promise<string[]> => {
    const said = await lib.outputOf(SCRIPT, [specimens, ...pool.urls]);
    const names = Array.from(said.matchAll(/<SharedFunctionInfo ([#\w]+)>.*weak objects/g), ([, name]) => name!);
    return PARTS.filter((part) => names.includes(part));
  };

  it('keep the code of commands compiled where none is under way', async () => {
    expect(await forgotten('specimens')).toEqual([]);
  });

  it('are needed for that', async () => {
    expect((await forgotten('none')).length).toBeGreaterThanOrEqual(3);
  });
});
