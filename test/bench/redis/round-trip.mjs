import { once } from 'node:events';
import { connect } from 'node:net';
import { median } from '../harness/statistics.mjs';

const PINGS = 100;

/** The median time in ms of a PING and its answer. @param {number} port */
export async function roundTrip(port) {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  const times = [];
  for (let ping = 0; ping < PINGS; ping += 1) {
    const start = performance.now();
    socket.write('PING\r\n');
    await once(socket, 'data');
    times.push(performance.now() - start);
  }
  socket.destroy();
  return median(times);
}
