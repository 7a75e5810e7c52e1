import { Judge } from './judge.js';
import { World, type Process } from './world.js';

const NODES = 3;
const CALLERS = 3;
const [FAST, SLOW] = [1, 10];
const TTL = 1_000;
/** Ms after which everybody has had the lock. */
const END = 5_000;

/** Returns the ms of each way: it is slow if its bit in the number is set. */
const waysOf = (bits: number): number[] =>
  Array.from({ length: NODES * CALLERS }, (_, way) => ((bits >> way) & 1 ? SLOW : FAST));

/** From which callers the requests reach a node late. */
const lateAt = (ways: readonly number[], node: number): string =>
  ways.filter((_, way) => way % NODES === node).join(' ');

/** Each caller asks each node. Nodes are alike, so of orders that differ only in their names, one is run. */
const REQUESTS = Array.from({ length: 2 ** (NODES * CALLERS) }, (_, bits) => waysOf(bits)).filter(
  (ways) => lateAt(ways, 0) <= lateAt(ways, 1) && lateAt(ways, 1) <= lateAt(ways, 2),
);
/** How many orders there are in which the first requests and answers of three callers arrive. */
export const ORDERS = REQUESTS.length * 2 ** (NODES * CALLERS);

/** Runs the world in which the first ways of three callers of one resource are fast or slow as this order says; returns what was wrong. */
export async function explore(order: number): Promise<readonly string[]> {
  const ways = [...REQUESTS[order % REQUESTS.length]!, ...waysOf(Math.floor(order / REQUESTS.length))];
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
