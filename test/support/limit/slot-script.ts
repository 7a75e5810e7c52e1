/**
 * The program of a `SlotProcess`: one client of the pool. It does what lines of JSON on its input say, and answers each line on its output. Times
 * are of the monotonic clock of the machine, in ms, which all processes share.
 */
export const SLOT_SCRIPT = `
const { Redlock } = await import('./engine/redlock.js');
const { toAddresses } = await import('./redis/connection/settings/node-address.js');
const { SystemClock } = await import('./engine/system-clock.js');
const { BatchEncoder, channelOf } = await import('./redis/codec.js');
const { RedisNode } = await import('./redis/redis-node.js');
const { createInterface } = await import('node:readline');
const { setTimeout: sleep } = await import('node:timers/promises');

const { nodes, nodeTimeout } = JSON.parse(process.argv[2]);
const trust = { maxTtl: 10_000_000, restartQuarantine: false };
const clock = new SystemClock();
const encoder = new BatchEncoder({ keyPrefix: '', channel: channelOf('', String(process.pid)), ...trust });
const now = () => Number(process.hrtime.bigint()) / 1e6;
const redlock = new Redlock({
  nodes: toAddresses(nodes).map((address) => new RedisNode(address, encoder, clock)),
  clock,
  nodeTimeout,
  maxTtl: trust.maxTtl,
  defaults: { quorumTimeout: Infinity },
  listener: () => undefined,
});
const held = new Map();
let stops = false;

const acquire = async ({ resource, options }) => {
  const asked = now();
  const lock = await redlock.acquire(resource, options);
  const from = now();
  return { lock, asked, from, until: from + lock.validity };
};
/** What is held beyond the end of the lease does not count. */
const release = async ({ lock, asked, from, until }) => {
  const end = now();
  const wasLost = !lock.isValid;
  await lock.release();
  return { slot: lock.slot, token: lock.fencingToken, asked, from, to: wasLost ? Math.min(end, until) : end };
};
const stay = async (order) => {
  const taken = await acquire(order);
  await sleep(order.hold);
  return release(taken);
};

const orders = {
  take: async (order) => {
    const taken = await acquire(order);
    held.set(order.name, taken);
    const { lock, asked, from, until } = taken;
    return { slot: lock.slot, token: lock.fencingToken, asked, from, until };
  },
  check: async ({ name }) => ({ isValid: held.get(name).lock.isValid }),
  release: async ({ name }) => {
    const taken = held.get(name);
    held.delete(name);
    return release(taken);
  },
  tries: async ({ resource, options }) => {
    const lock = await redlock.tryAcquire(resource, options);
    await lock?.release();
    return { slot: lock === null ? null : (lock.slot ?? 'all') };
  },
  stay,
  /** One caller at each of these times. */
  arrive: async ({ times, ...order }) =>
    Promise.all(times.map(async (at) => {
      await sleep(Math.max(0, at - now()));
      return stay(order);
    })),
  /** So many workers, one turn after the other: until a time, or until 'stop'. */
  work: async ({ workers, until = Infinity, ...order }) => {
    const stays = [];
    const work = async () => {
      while (!stops && now() < until) stays.push(await stay(order));
    };
    await Promise.all(Array.from({ length: workers }, work));
    return stays;
  },
  /** Every slot of so many groups, once; leaves every so many-th group to expire. */
  fill: async ({ groups, slots, atOnce, options, abandons }) => {
    let next = 0;
    const fillNext = async () => {
      while (next < groups) {
        const group = next++;
        const calls = Array.from({ length: slots }, () => redlock.acquire('group:' + group, options));
        const locks = await Promise.all(calls);
        if (new Set(locks.map(({ slot }) => slot)).size !== slots) throw new Error('two holders of one slot');
        if (group % abandons !== 0) await Promise.all(locks.map((lock) => lock.release()));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, fillNext));
    return { groups: next };
  },
  stop: async () => void (stops = true),
};
createInterface(process.stdin).on('line', (line) => {
  const { id, what, ...order } = JSON.parse(line);
  const say = (answer) => console.log(JSON.stringify({ id, ...answer }));
  orders[what](order).then((result) => say({ result }), (error) => say({ error: error.code ?? String(error) }));
});
await redlock.open();
console.log(JSON.stringify({ id: 'open' }));
`;
