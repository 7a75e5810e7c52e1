// Delays what passes to and from the nodes, in a process of its own: its timers take no time of another process.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Delays } from './delays.mjs';

/** @typedef {{ ports: number[] } | { delay: number }} Request delay in ms, each way */

const delays = new Delays();

/** @param {import('node:net').Socket} from @param {import('node:net').Socket} to */
function forward(from, to) {
  let lastDue = 0;
  from.setNoDelay(true);
  from.on('error', () => undefined); // its close says the same
  from.once('close', () => to.destroy());
  from.on('data', (bytes) => {
    const now = performance.now();
    // Bytes keep their order, also where the delay has just become shorter.
    lastDue = Math.max(now + delays.length, lastDue);
    if (lastDue <= now) to.write(bytes);
    else delays.at(lastDue, () => to.writable && to.write(bytes));
  });
}

/** @param {number} port */
async function stand(port) {
  const server = createServer((client) => {
    const node = connect(port, '127.0.0.1');
    forward(client, node);
    forward(node, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

process.on('message', (/** @type {Request} */ request) => {
  if ('delay' in request) {
    delays.length = request.delay;
    process.send?.({ delay: delays.length });
  } else {
    void Promise.all(request.ports.map((port) => stand(port))).then((ports) => process.send?.({ ports }));
  }
});
process.on('disconnect', () => process.exit());
