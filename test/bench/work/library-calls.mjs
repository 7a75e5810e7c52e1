import { ask } from '../redis/ask.mjs';

const MAX_TTL_MS = 60_000;
const TTL_MS = 10_000;
const FILES = ['redis/codec', 'redis/scripts/operations.lua', 'engine/resources'];

/** @typedef {{ readonly resource: string, readonly value: string }} Vote */

/** The calls of the library itself, made by its own parts, to be sent by others. */
export class LibraryCalls {
  #serial = 0;

  /** @param {Record<string, any>} parts of the library @param {string} run */
  constructor(parts, run) {
    this.sha = parts.SHA;
    this.run = run;
    this.marker = `${run}:${parts.RESERVED.node}`;
    this.encoder = new parts.BatchEncoder({
      keyPrefix: `${run}:`,
      channel: parts.channelOf(`${run}:`, 'bench'),
      maxTtl: MAX_TTL_MS,
      restartQuarantine: true,
    });
  }

  /** The ES modules are one file; the same parts are in the CommonJS half beside them. @param {string} library its entry @param {string} run */
  static async of(library, run) {
    const half = new URL('../cjs/index.js', `file://${library}`);
    const parts = await Promise.all(FILES.map((file) => import(new URL(`${file}.js`, half).href)));
    return new LibraryCalls(Object.assign({}, ...parts), run);
  }

  /** @param {string} resource @returns {Vote} */
  voteFor(resource) {
    this.#serial += 1;
    return { resource, value: `bench:${this.run}.${this.#serial}` };
  }

  /** What makes a node know the script, and be known and trusted for as long as can be. @param {string} id of its run */
  introductionTo(id) {
    const trusted = command('SET', this.marker, `${id}|1000000|${MAX_TTL_MS}`);
    return [trusted, Buffer.from(this.encoder.introduction)];
  }

  /** @param {readonly Vote[]} votes @param {string} id of the run of the node */
  acquire(votes, id) {
    const proposal = Date.now() * 1_000;
    return this.#call(
      votes.map((vote) => ({ ...vote, kind: 'acquire', ttl: TTL_MS, proposal, count: 1 })),
      id,
    );
  }

  /** @param {readonly Vote[]} votes @param {string} id of the run of the node */
  release(votes, id) {
    return this.#call(
      votes.map((vote) => ({ ...vote, kind: 'release', ttl: TTL_MS, what: 'nothing' })),
      id,
    );
  }

  /** @param {readonly object[]} operations @param {string} id */
  #call(operations, id) {
    return Buffer.from(this.encoder.wire(operations, id));
  }
}

/** @param {number} port */
export async function runIdOf(port) {
  return (await ask(port, 'INFO server')).match(/run_id:(\w+)/)?.[1] ?? '';
}

/** @param {string[]} words */
export function command(...words) {
  return Buffer.from(
    `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`,
  );
}
