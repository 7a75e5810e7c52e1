import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CompiledLib } from '../../support/compiled-lib.js';

/** Takes locks until their code is compiled, gives all of them back, and has V8 say what it throws away after that. */
const SCRIPT = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { Redlock } from './core/redlock.js';
  import { Specimens } from './core/specimens.js';

  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const answer = (question, seat, given) => queueMicrotask(() => question.answer(seat, given));
  const node = (name) => ({
    name,
    acquire: (question, seat) => answer(question, seat, { kind: 'granted', fence: question.proposal, oldest: Infinity }),
    release: (question, seat) => answer(question, seat, { kind: 'released' }),
    open: async () => undefined,
  });
  const redlock = new Redlock({ nodes: ['a', 'b', 'c'].map(node) });
  const specimens = new Specimens();
  if (process.argv[2] === 'specimens') await specimens.collect();

  const lockAndRelease = async (_, worker) => {
    for (let turn = 0; turn < 1_000; turn += 1) {
      const lock = await redlock.acquire('lock:' + worker + ':' + turn, { ttl: 5_000 });
      await lock.release();
      // Also where nothing waits for it, compiled code is put to use between turns.
      if (turn % 50 === 0) await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: 64 }, lockAndRelease));

  setFlagsFromString('--trace-deopt');
  for (let collection = 0; collection < 4; collection += 1) {
    gc();
    await new Promise(setImmediate);
  }
  setFlagsFromString('--no-trace-deopt');
`;

/** Functions that every lock goes through; which of them stand alone in compiled code, and not within others, differs. */
const PARTS = [
  'Ballot',
  'Claim',
  'Contender',
  'Lease',
  'LeaseWatch',
  'Line',
  'Patience',
  'Place',
  '#take',
  '#giveBack',
];

describe('Specimens', () => {
  let lib: CompiledLib;

  beforeAll(async () => {
    lib = await CompiledLib.make();
  });

  afterAll(() => lib.remove());

  /** Those parts whose code V8 threw away, since none of them was left at a full garbage collection. */
  const forgotten = async (...args: string[]): Promise<string[]> => {
    const child = await lib.run(SCRIPT, args);
    const [said, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit') as Promise<[number]>]);
    expect(code).toBe(0);
    const names = Array.from(said.matchAll(/<SharedFunctionInfo ([#\w]+)>.*weak objects/g), ([, name]) => name!);
    return PARTS.filter((part) => names.includes(part));
  };

  it('keep the code of locks compiled where no lock is left', async () => {
    expect(await forgotten('specimens')).toEqual([]);
  });

  it('are needed for that', async () => {
    expect((await forgotten()).length).toBeGreaterThanOrEqual(3);
  });
});
