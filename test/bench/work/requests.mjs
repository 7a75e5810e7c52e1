import { once } from 'node:events';
import { connect } from 'node:net';
import { percentile, sorted } from '../harness/statistics.mjs';

const HEAD = 'POST /users HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ';

/**
 * Calls a handler over connections that stay open, each with an e-mail address of its own.
 * @param {undefined} _client
 * @param {{ run: string, port: number, connections: number, length: number, warmUp: number }} params ms
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(_client, { run, port, connections, length, warmUp }) {
  const callers = await Promise.all(
    Array.from({ length: connections }, (_, index) => Caller.to(port, `${run}-${index}`)),
  );
  await Promise.all(callers.map((caller) => caller.repeat(warmUp)));
  return async () => {
    for (const caller of callers) caller.latencies = [];
    await Promise.all(callers.map((caller) => caller.repeat(length)));
    const ascending = sorted(callers.flatMap(({ latencies }) => latencies));
    const refused = callers.reduce((sum, { failures }) => sum + failures, 0);
    return {
      requests: ascending.length,
      p50: percentile(ascending, 0.5),
      p99: percentile(ascending, 0.99),
      failures: refused,
      ...(refused > 0 && { note: callers.find(({ lastFailure }) => lastFailure)?.lastFailure }),
    };
  };
}

class Caller {
  /** @type {number[]} ms */
  latencies = [];
  failures = 0;
  lastFailure = '';
  #next = 0;

  /** @param {import('node:net').Socket} socket @param {string} name */
  constructor(socket, name) {
    this.socket = socket;
    this.name = name;
  }

  /** @param {number} port @param {string} name */
  static async to(port, name) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Caller(socket.setNoDelay(true), name);
  }

  /** @param {number} length ms */
  async repeat(length) {
    const end = performance.now() + length;
    while (performance.now() < end) {
      const start = performance.now();
      const reply = await this.#call();
      this.latencies.push(performance.now() - start);
      if (!reply.startsWith('HTTP/1.1 201')) {
        this.failures += 1;
        this.lastFailure = reply.slice(0, reply.indexOf('\r\n'));
      }
    }
  }

  async #call() {
    const body = JSON.stringify({ email: `${this.name}-${(this.#next += 1)}@example.org` });
    this.socket.write(`${HEAD}${body.length}\r\n\r\n${body}`);
    let reply = '';
    while (!isWhole(reply)) reply += String((await once(this.socket, 'data'))[0]);
    return reply;
  }
}

/** @param {string} reply */
function isWhole(reply) {
  const bodyAt = reply.indexOf('\r\n\r\n') + 4;
  const length = Number(reply.match(/content-length: (\d+)/i)?.[1]);
  return bodyAt > 3 && reply.length >= bodyAt + length;
}
