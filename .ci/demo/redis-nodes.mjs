import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { freePort } from '../free-port.mjs';
import { setUpRedis } from '../set-up.mjs';

/** @typedef {{ url: string, pid?: number | undefined }} Node */
/** @typedef {import('../../sample-app/live/front.mjs').Deed} Deed */

const HOST = '127.0.0.1';
/** Ms: a slow node is paused for 45 of each 50. */
const SLOW = { paused: 45, runs: 5 };

/**
 * The configured nodes, or five redis-server processes with everything in memory. A minority may go, and there is
 * nothing to save.
 * @param {import('./lifetime.mjs').Lifetime} lifetime @param {string} folder
 * @returns {Promise<(Node | NodeProcess)[]>}
 */
export async function openNodes(lifetime, folder) {
  if (process.env.REDLOCK_NODES) return process.env.REDLOCK_NODES.split(',').map((url) => ({ url: url.trim() }));
  return Promise.all(
    Array.from({ length: 5 }, async (_, index) => {
      const node = new NodeProcess(`Node ${index + 1}`, folder);
      lifetime.atEnd(() => node.end());
      await node.start();
      return node;
    }),
  );
}

/** One redis-server, which the live page may break. */
export class NodeProcess {
  /** @type {'up' | 'down' | 'frozen' | 'slow'} */
  state = 'up';
  /** @type {number | undefined} */
  #port;
  /** @type {ReturnType<typeof execa> | undefined} */
  #server;

  /** @param {string} name @param {string} folder */
  constructor(name, folder) {
    this.name = name;
    this.folder = folder;
  }

  get url() {
    return `redis://${HOST}:${this.#port}`;
  }

  get pid() {
    return this.#server?.pid;
  }

  /** Starts the node, empty; again at the port that it had.  @returns {Promise<void>} */
  async start() {
    const redis = setUpRedis();
    if (redis.kind !== 'binary') throw new Error('there is no program to start the nodes with');
    const port = this.#port ?? (await freePort(HOST));
    const args = ['--port', `${port}`, '--bind', HOST, '--dir', this.folder, '--save', '', '--appendonly', 'no'];
    const server = execa(redis.path, args, { stdin: 'ignore', reject: false });
    this.#server = server;
    /** @type {Promise<undefined>} */
    const ready = new Promise((resolve) => {
      server.stdout.on('data', (text) => String(text).includes('Ready to accept connections') && resolve(undefined));
    });
    const result = await Promise.race([ready, server]);
    // Another process can have taken a free port since the look.
    const isTaken = result && this.#port === undefined && /address already in use/i.test(result.stdout);
    if (isTaken) return this.start();
    if (result) throw new Error(`a node did not start: ${result.shortMessage}\n${result.stdout}`);
    this.#port = port;
    this.state = 'up';
    void server.then(() => this.#server === server && (this.state = 'down'));
  }

  async end() {
    this.#server?.kill('SIGKILL');
    await this.#server;
  }

  /** @param {Deed} deed */
  async does(deed) {
    if (deed === 'kill' || deed === 'restart') await this.end();
    if (deed === 'restart') return this.start();
    if (this.state === 'down' || deed === 'kill') return;
    this.state = deed === 'freeze' ? 'frozen' : deed === 'slow' ? 'slow' : 'up';
    if (deed === 'slow') void this.#crawl();
    this.#server?.kill(deed === 'freeze' ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Pauses the node most of the time, so that every answer is late. */
  async #crawl() {
    const server = this.#server;
    const isSlow = () => this.state === 'slow' && this.#server === server;
    while (isSlow()) {
      server?.kill('SIGSTOP');
      await sleep(SLOW.paused);
      if (this.state !== 'frozen') server?.kill('SIGCONT');
      await sleep(SLOW.runs);
    }
  }
}
