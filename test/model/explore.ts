import { Judge } from './judge.js';
import { World, type Process } from './world.js';

const NODES = 3;
const CALLERS = 3;
/** Each caller asks each node, and hears from it. */
const WAYS = 2 * NODES * CALLERS;
const [FAST, SLOW] = [1, 10];
const TTL = 1_000;
/** Ms after which everybody has had the lock. */
const END = 5_000;

/** Runs the world in which the first ways of three callers of one resource are fast or slow as the bits of a number say; returns what was wrong. */
export async function explore(order: number): Promise<readonly string[]> {
  const ways = Array.from({ length: WAYS }, (_, way) => ((order >> way) & 1 ? SLOW : FAST));
  const world = new World(order, { nodes: NODES, delay: 1, ways, maxTtl: TTL, nodeTimeout: 100 });
  const judge = new Judge(world, Infinity);
  const call = async (process: Process): Promise<void> => {
    await world.sleep(process, 0);
    const lock = await process.redlock.acquire('a', { ttl: TTL, waitTimeout: END });
    let isOver = false;
    judge.granted('a', { process, isValid: () => !isOver && lock.isValid }, lock.fencingToken);
    await world.sleep(process, 1);
    isOver = true;
    void lock.release();
  };
  for (let caller = 0; caller < CALLERS; caller += 1) void call(world.start());
  await world.run(END);
  if (judge.grants !== CALLERS) judge.violations.push(`STUCK: ${judge.grants} of ${CALLERS} were served`);
  for (const { index, data } of world.nodes)
    if (data.read('a') !== undefined) judge.violations.push(`LEFT BEHIND: ${data.read('a')!.value} on node ${index}`);
  return judge.violations;
}
