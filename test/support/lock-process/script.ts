/**
 * The program of a `LockProcess`: one client of the pool, which is told what to do by lines of JSON on its input and says
 * what it does on its output.
 */
export const SCRIPT = `
console.log('"read"');
const { Redlock } = await import('./engine/redlock.js');
const { toAddresses } = await import('./redis/connection/settings/node-address.js');
const { SystemClock } = await import('./engine/system-clock.js');
const { BatchEncoder, channelOf } = await import('./redis/codec.js');
const { RedisNode } = await import('./redis/redis-node.js');
const { createInterface } = await import('node:readline');
const { setTimeout: sleep } = await import('node:timers/promises');

const { nodes, nodeTimeout, trust } = JSON.parse(process.argv[2]);
const clock = new SystemClock();
const channel = channelOf('', String(process.pid));
const encoder = new BatchEncoder({ keyPrefix: '', channel, ...trust });
const tell = (id, what, more) => console.log(JSON.stringify({ id, what, ...more }));
const now = () => Number(process.hrtime.bigint()) / 1e6;
const redlock = new Redlock({
  nodes: toAddresses(nodes).map((address) => new RedisNode(address, encoder, clock)),
  clock,
  nodeTimeout,
  maxTtl: trust.maxTtl,
  // The judges ask whether calls hold out until their time is up.
  defaults: { quorumTimeout: Infinity },
  listener: (event) => tell(undefined, 'event', { event: event.type, node: event.node }),
});
const held = new Map();
let beat = now();
let stall = 0;
const listenToHeart = () => {
  const last = beat;
  beat = now();
  stall = Math.max(stall, beat - last);
};
setInterval(listenToHeart, 20).unref();

async function take({ id, resource, options, hold }) {
  const asked = now();
  const taking = redlock.acquire(resource, options);
  tell(id, 'asked', { at: Date.now() });
  try {
    const lock = await taking;
    const from = now();
    const until = from + lock.validity;
    held.set(id, { lock, asked, from, until });
    tell(id, 'acquired', { asked, from, until });
    if (hold === undefined) return;
    await sleep(hold);
    await release({ id });
  } catch (error) {
    tell(id, 'failed', { code: error.code ?? error.name });
  }
}

/** What is held beyond the end of the lease does not count. */
async function release({ id }) {
  const { lock, asked, from, until } = held.get(id);
  held.delete(id);
  const end = now();
  listenToHeart();
  const released = lock.release();
  tell(id, 'released', { asked, from, to: lock.lost ? Math.min(end, until) : end, stall });
  await released;
  tell(id, 'over');
}

const orders = {
  take,
  release,
  look: ({ id, look }) => tell(look, 'looked', { validity: held.get(id).lock.validity }),
  exit: () => process.exit(0),
  close: async ({ id }) => {
    await redlock.close();
    tell(id, 'over');
    process.stdin.destroy();
  },
};
createInterface(process.stdin).on('line', (line) => {
  const order = JSON.parse(line);
  void orders[order.do](order);
});
await redlock.open();
tell(undefined, 'open', { channel });
`;
