// The live page at /, its events and its buttons; everything else goes to the replicas in turn. Built-in modules only: `npm start`
// calls openFront, and the proxy of docker-compose.yml runs this file.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Hub } from './hub.mjs';
import { newEmail, race } from './race.mjs';

/** @typedef {import('node:http').IncomingMessage} Request @typedef {import('node:http').ServerResponse} Response */
/** @typedef {'kill' | 'freeze' | 'slow' | 'heal' | 'restart'} Deed */
/** @typedef {{ name: string, state: string, does: (deed: Deed) => Promise<void> }} BreakableNode a node that the page may break */

const PAGE = new URL('page.html', import.meta.url);
const DEEDS = ['kill', 'freeze', 'slow', 'heal', 'restart'];
const WAYS = new Map([
  ['unsafe', '/unsafe/users'],
  ['locked', '/users'],
  ['once', '/once/users'],
]);
const MOST = 500;

/** Serves the page in front of the replicas. */
class Front {
  #turn = 0;
  #hub;
  /** Races come one after the other, so that the drawing of each shows that one only. */
  #racing = /** @type {Promise<unknown>} */ (Promise.resolve());

  /** @param {string[]} replicas @param {BreakableNode[]} nodes @param {number} ttl ms */
  constructor(replicas, nodes, ttl) {
    this.replicas = replicas;
    this.nodes = nodes;
    this.#hub = new Hub(replicas, () => ({
      type: 'nodes',
      replicas: replicas.length,
      ttl,
      nodes: nodes.map(({ name, state }) => ({ name, state })),
    }));
    this.server = createServer((from, to) => void this.#serve(from, to).catch((error) => refuse(to, 502, error)));
  }

  close() {
    this.#hub.close();
    this.server.close();
    this.server.closeAllConnections();
  }

  /** @param {Request} from @param {Response} to */
  async #serve(from, to) {
    const { pathname, searchParams } = new URL(from.url ?? '/', 'http://front');
    const [, live, what = '', name = '', deed = ''] = pathname.split('/');
    if (pathname === '/') return void to.setHeader('content-type', 'text/html').end(readFileSync(PAGE));
    if (live !== 'live') return this.#pass(from, to);
    if (what === 'events') return this.#hub.listen(from, to);
    if (from.method !== 'POST') return refuse(to, 404, `There is no ${pathname}`);
    if (what === 'race') return this.#race(searchParams, to);
    if (what === 'nodes') return this.#breakNode(name, deed, to);
    refuse(to, 404, `There is no ${pathname}`);
  }

  /** @param {Request} from @param {Response} to */
  async #pass(from, to) {
    this.#turn = (this.#turn + 1) % this.replicas.length;
    const { method, headers, url = '/' } = from;
    const onward = request(new URL(url, this.replicas[this.#turn]), { method, headers });
    from.pipe(onward);
    const [answer] = /** @type {[Request]} */ (await once(onward, 'response'));
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(to);
  }

  /** @param {URLSearchParams} options @param {Response} to */
  async #race(options, to) {
    const way = options.get('way') ?? '';
    const path = WAYS.get(way);
    const count = Number(options.get('count') ?? 50);
    if (path === undefined) return refuse(to, 400, `way must be ${[...WAYS.keys()].join(', ')}; got "${way}"`);
    if (!Number.isInteger(count) || count < 1 || count > MOST)
      return refuse(to, 400, `count must be a whole number from 1 to ${MOST}`);
    const run = this.#racing.then(() => this.#raceOn({ way, path, count }));
    this.#racing = run.catch(() => undefined);
    return answerWith(to, 200, await run);
  }

  /** @param {{ way: string, path: string, count: number }} options */
  async #raceOn({ way, path, count }) {
    const email = newEmail();
    this.#hub.tell({ type: 'race', way, path, count, email });
    const { statuses, ...outcome } = await race(this.replicas, path, {
      count,
      email,
      answered: (answer) => this.#hub.tell({ type: 'answered', ...answer }),
    });
    /** @type {Record<string, number>} */
    const answers = {};
    for (const status of statuses) answers[status] = (answers[status] ?? 0) + 1;
    const event = { type: 'outcome', way, count, answers, ...outcome };
    this.#hub.tell(event);
    return event;
  }

  /** @param {string} name @param {string} deed @param {Response} to */
  async #breakNode(name, deed, to) {
    const node = this.nodes[Number(name) - 1];
    if (node === undefined) return refuse(to, 404, `There is no node ${name} that can be broken here`);
    if (!DEEDS.includes(deed)) return refuse(to, 400, `Choose one of ${DEEDS.join(', ')}; got "${deed}"`);
    await node.does(/** @type {Deed} */ (deed));
    this.#hub.tellState();
    return answerWith(to, 200, { name: node.name, state: node.state });
  }
}

/** @param {Response} to @param {number} status @param {unknown} body */
function answerWith(to, status, body) {
  to.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** @param {Response} to @param {number} status @param {unknown} reason */
function refuse(to, status, reason) {
  if (to.headersSent) to.destroy();
  else answerWith(to, status, { message: reason instanceof Error ? reason.message : reason });
}

/**
 * Opens the page. Without a `port`, it is 3000 if that port is free, and any other if not.
 * @param {{ replicas: string[], nodes?: BreakableNode[], ttl?: number, host?: string, port?: number | undefined }} options
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function openFront({ replicas, nodes = [], ttl = 10_000, host = '127.0.0.1', port }) {
  const front = new Front(replicas, nodes, ttl);
  const { server } = front;
  await once(server.listen(port ?? 3_000, host), 'listening').catch(async (error) => {
    if (port !== undefined || error.code !== 'EADDRINUSE') throw error;
    await once(server.listen(0, host), 'listening');
  });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://${host}:${address.port}/`, close: () => front.close() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { REPLICAS = '', HOST = '127.0.0.1', PORT = '3000', MAX_TTL = '10000' } = process.env;
  const { url, close } = await openFront({
    replicas: REPLICAS.split(','),
    ttl: Math.min(10_000, Number(MAX_TTL)),
    host: HOST,
    port: Number(PORT),
  });
  process.once('SIGTERM', close);
  process.once('SIGINT', close);
  console.log(`The live page: ${url}`);
}
