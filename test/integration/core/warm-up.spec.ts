import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompiledLib } from '../../support/compiled-lib.js';

/**
 * Takes locks until their code is compiled, gives all of them back, and has V8 say what it throws away after that: at full
 * collections of garbage, or when a node goes down.
 */
const SCRIPT = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { Redlock } from './core/redlock.js';
  import { WarmUp } from './start-up/warm-up.js';

  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const answer = (question, nodeIndex, given) => queueMicrotask(() => question.answer(nodeIndex, given));
  const DOWN = { kind: 'unknown', reason: 'down', sent: false };
  const node = (name) => ({
    name,
    isDown: false,
    acquire(question, nodeIndex) {
      answer(question, nodeIndex, this.isDown ? DOWN : { kind: 'granted', fence: question.proposal, oldest: Infinity });
    },
    release(question, nodeIndex) {
      answer(question, nodeIndex, this.isDown ? DOWN : { kind: 'released' });
    },
    open: async () => undefined,
  });
  const nodes = ['a', 'b', 'c'].map(node);
  const redlock = new Redlock({ nodes });
  const specimens = new WarmUp();
  if (process.argv[2] === 'specimens') await specimens.collect();

  const lockAndRelease = async (turns, worker) => {
    for (let turn = 0; turn < turns; turn += 1) {
      const lock = await redlock.acquire('lock:' + worker + ':' + turn, { ttl: 5_000 });
      await lock.release();
      // Also where nothing waits for it, compiled code is put to use between turns.
      if (turn % 50 === 0) await new Promise(setImmediate);
    }
  };
  const workers = Array.from({ length: 64 }, (_, worker) => worker);
  await Promise.all(workers.map((worker) => lockAndRelease(1_000, worker)));

  setFlagsFromString('--trace-deopt');
  if (process.argv[3] === 'collect') {
    for (let collection = 0; collection < 4; collection += 1) {
      gc();
      await new Promise(setImmediate);
    }
  } else {
    nodes[2].isDown = true;
    await Promise.all(workers.map((worker) => lockAndRelease(50, worker)));
  }
  setFlagsFromString('--no-trace-deopt');
`;

/** Functions that every lock goes through; which of them stand alone in compiled code, and not within others, differs. */
const PARTS = [
  'QuorumCall',
  'Claim',
  'InLineAcquisition',
  'Lease',
  'RenewalTimer',
  'Line',
  'WaitBudget',
  'Place',
  '#take',
  'releaseOrPass',
];

/** Functions that take an answer, whatever it is. */
const TAKERS = ['answer', 'noteLate', '#outcomeOf'];

describe('WarmUp', () => {
  let lib: CompiledLib;

  beforeAll(async () => {
    lib = await CompiledLib.make();
  });

  afterAll(() => lib.remove());

  /** Those parts whose code V8 threw away, since none of them was left at a full garbage collection. */
  const forgotten = async (specimens: string): Promise<string[]> => {
    const said = await lib.outputOf(SCRIPT, [specimens, 'collect']);
    const names = Array.from(said.matchAll(/<SharedFunctionInfo ([#\w]+)>.*weak objects/g), ([, name]) => name!);
    return PARTS.filter((part) => names.includes(part));
  };

  /** Those whose code V8 threw away, since it had not met such an answer when it compiled it. */
  const surprised = async (specimens: string): Promise<string[]> => {
    const said = await lib.outputOf(SCRIPT, [specimens, 'outage']);
    const names = Array.from(said.matchAll(/reason: wrong map.*<JSFunction ([#\w]+)/g), ([, name]) => name!);
    return TAKERS.filter((taker) => names.includes(taker));
  };

  it('keep the code of locks compiled where no lock is left', async () => {
    expect(await forgotten('specimens')).toEqual([]);
  });

  it('are needed for that', async () => {
    expect((await forgotten('none')).length).toBeGreaterThanOrEqual(3);
  });

  it('keep the code of locks compiled where a node goes down', async () => {
    expect(await surprised('specimens')).toEqual([]);
  });

  it('are needed for that, too', async () => {
    expect(await surprised('none')).not.toEqual([]);
  });
});
