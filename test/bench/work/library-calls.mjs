import { existsSync } from 'node:fs';
import { ask } from '../redis/ask.mjs';

const MAX_TTL_MS = 60_000;
const TTL_MS = 10_000;

/** The calls of the library itself, made by its own parts, to be sent by others. */
export class LibraryCalls {
  /** @param {Record<string, any>} parts of the library @param {string} run */
  constructor(parts, run) {
    this.parts = parts;
    this.random = new parts.SystemRandom();
    const clock = { now: () => ({ monotonic: performance.now(), wall: Date.now() }) };
    this.encoder = new parts.BatchEncoder(`${run}:`, { maxTtl: MAX_TTL_MS, restartQuarantine: true }, clock);
  }

  /** @param {string} library the entry of the built one @param {string} run */
  static async of(library, run) {
    const files = [
      'redis/batch/batch-encoder',
      'redis/batch/batch',
      'core/port/claim',
      'core/port/single-call',
      'core/collections/random',
      'redis/connection/wire/resp',
      'redis/scripts/batch-script',
    ];
    const parts = await Promise.all(files.map((file) => import(new URL(`${file}.js`, partsOf(library)).href)));
    return new LibraryCalls(Object.assign({}, ...parts), run);
  }

  /** @param {string} name */
  claimOf(name) {
    return new this.parts.Claim([name], this.random.value());
  }

  /** What makes a node know the script, and be known and trusted for as long as can be. @param {string} id of its run */
  introductionTo(id) {
    const trusted = command('SET', this.encoder.marker, `${id}|1000000|${MAX_TTL_MS}`);
    return [trusted, this.call('A', [this.claimOf('first')], { id, how: 'eval' })];
  }

  /**
   * @param {string} verb
   * @param {any[]} claims
   * @param {{ id: string, how?: 'evalsha' | 'eval' }} to
   * @returns {Buffer}
   */
  call(verb, claims, { id, how = 'evalsha' }) {
    const { SingleCall, Batch, bulk } = this.parts;
    const batch = new Batch();
    const proposal = Date.now() * 1_000;
    for (const claim of claims) batch.add(verb, Object.assign(new SingleCall(claim, TTL_MS), { proposal }), 0);
    this.encoder.forget();
    return Buffer.from(this.encoder.wire(batch, how, bulk(id)));
  }
}

/** The ES modules are one file; the same parts are in the CommonJS half beside them. @param {string} library */
function partsOf(library) {
  const beside = new URL(`file://${library}`);
  return existsSync(new URL('core/port/claim.js', beside)) ? beside : new URL('../cjs/index.js', beside);
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
