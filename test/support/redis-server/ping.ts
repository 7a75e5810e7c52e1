import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { HOST } from './ports.js';

const PATIENCE = 20_000;
const PAUSE = 20;

/** Resolves once the port speaks Redis; a published port accepts connections before the node behind it does. */
export async function untilAnswering(port: number, { tls }: { tls: boolean }): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!(await answers(port, tls))) {
    if (performance.now() > end) throw new Error(`the node on port ${port} did not answer within ${PATIENCE} ms`);
    await setTimeout(PAUSE);
  }
}

async function answers(port: number, tls: boolean): Promise<boolean> {
  // The identity of the server does not matter here, only that it answers.
  const socket = tls ? connectTls({ port, host: HOST, rejectUnauthorized: false }) : connect(port, HOST);
  try {
    socket.write('PING\r\n');
    const signal = AbortSignal.timeout(1_000);
    const [reply] = await Promise.race([once(socket, 'data', { signal }), once(socket, 'close', { signal })]);
    return /^(\+PONG|-NOAUTH)/.test(String(reply));
  } catch {
    return false; // refused, reset or silent: not yet
  } finally {
    socket.destroy();
  }
}
