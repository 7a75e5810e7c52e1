import { createRequire } from 'node:module';
import { createHash } from 'node:crypto';
import { nextValue } from './values.mjs';

const load = createRequire(new URL('../../../package.json', import.meta.url));

const CHANNEL = 'bench:free';
/** The release of the Redis distributed-locks page, which tells the waiters. */
const DELETE_AND_TELL = `if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('PUBLISH', '${CHANNEL}', KEYS[1])
  return redis.call('DEL', KEYS[1])
end
return 0`;
const SHA = createHash('sha1').update(DELETE_AND_TELL).digest('hex');
/**
 * Ms until a caller that heard of no release asks again; at random, so that two that split the votes do not meet again.
 */
const ASK_AGAIN_MS = { least: 5, most: 50 };

/** @typedef {{ resource: string, value: string }} HandedLock */

/**
 * What one writes by hand for locks that are waited for: a release tells all processes, and in each the first in its line tries.
 * The next caller of the process that releases is the first to try: fast and not fair. No timeout, no validity, no fencing.
 * @param {import('./candidates.mjs').Settings} settings
 * @returns {Promise<import('./candidates.mjs').Client>}
 */
export async function connect({ ports, ttl }) {
  const { Redis } = load('ioredis');
  const connectAll = () => ports.map((port) => new Redis({ port, host: '127.0.0.1' }).on('error', () => undefined));
  const [nodes, listeners] = [connectAll(), connectAll()];
  const lines = new Lines(nodes, ttl);
  await Promise.all(nodes.map((node) => node.script('LOAD', DELETE_AND_TELL)));
  await Promise.all(
    listeners.map((listener) => {
      listener.on('message', (/** @type {string} */ _channel, /** @type {string} */ resource) => lines.freed(resource));
      return listener.subscribe(CHANNEL);
    }),
  );
  return { acquire: (resource) => lines.acquire(resource), release: (lock) => lines.release(lock) };
}

/** The callers of this process that want a resource, the first of which asks the nodes. */
class Lines {
  /** @type {Map<string, { callers: ((lock: HandedLock) => void)[], heard: number, wake: () => void, isAsking: boolean }>} */
  #lines = new Map();

  /** @param {any[]} nodes @param {number} ttl ms */
  constructor(nodes, ttl) {
    this.nodes = nodes;
    this.ttl = ttl;
    this.quorum = (nodes.length >> 1) + 1;
  }

  /** @param {string} resource @returns {Promise<HandedLock>} */
  acquire(resource) {
    let line = this.#lines.get(resource);
    if (line === undefined) {
      line = { callers: [], heard: 0, wake: () => undefined, isAsking: false };
      this.#lines.set(resource, line);
    }
    const { callers } = line;
    const lock = new Promise((resolve) => callers.push(/** @type {any} */ (resolve)));
    void this.#ask(resource, line);
    return /** @type {Promise<HandedLock>} */ (lock);
  }

  /** @param {HandedLock} lock */
  async release({ resource, value }) {
    const released = this.#delete(resource, value);
    const line = this.#lines.get(resource);
    if (line?.callers.length === 0 && !line.isAsking) this.#lines.delete(resource);
    // Sent right behind the release, over the same connections: no other process can have heard of it.
    else if (line) void this.#ask(resource, line);
    await released;
  }

  /** A node tells that it is free there. @param {string} resource */
  freed(resource) {
    const line = this.#lines.get(resource);
    if (line === undefined) return;
    line.heard += 1;
    if (line.heard % this.quorum === 0) line.wake();
  }

  /** @param {string} resource @param {any} line */
  async #ask(resource, line) {
    if (line.isAsking) return;
    line.isAsking = true;
    while (line.callers.length > 0) {
      const value = nextValue();
      line.heard = 0;
      if (await this.#isWon(resource, value)) {
        line.isAsking = false;
        line.callers.shift()({ resource, value });
        return;
      }
      await this.#mayBeFree(line);
    }
    line.isAsking = false;
  }

  /** @param {string} resource @param {string} value */
  async #isWon(resource, value) {
    const votes = this.nodes.map((node) => node.set(resource, value, 'PX', this.ttl, 'NX'));
    const won = await new Promise((resolve) => {
      let [granted, refused] = [0, 0];
      for (const vote of votes) {
        vote.then((/** @type {unknown} */ reply) => {
          if (reply === 'OK') granted += 1;
          else refused += 1;
          if (granted === this.quorum) resolve(true);
          else if (refused === this.quorum) resolve(false);
        });
      }
    });
    if (!won) await this.#delete(resource, value);
    return won;
  }

  /** @param {string} resource @param {string} value */
  #delete(resource, value) {
    return Promise.all(this.nodes.map((node) => node.evalsha(SHA, 1, resource, value)));
  }

  /** @param {any} line @returns {Promise<void>} */
  #mayBeFree(line) {
    return new Promise((resolve) => {
      const { least, most } = ASK_AGAIN_MS;
      const timer = setTimeout(resolve, least + Math.random() * (most - least));
      line.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
