import type { Redlock } from '../../lib/engine/redlock.js';
import { RedisPool } from '../support/redis-pool.js';
import type { Library, Rival } from './library.js';

/** Three nodes, and clients of both kinds on them. */
export class Stage {
  readonly #rivals: Rival[] = [];

  private constructor(
    readonly pool: RedisPool,
    readonly library: Library,
  ) {}

  static on(pool: RedisPool, library: Library): Stage {
    return new Stage(pool, library);
  }

  /** A name that no client has used. */
  name(): string {
    return this.pool.resource();
  }

  /** The nodes that both use. */
  get urls(): string[] {
    return this.pool.urls.slice(0, this.library.nodes);
  }

  async ours(): Promise<Redlock> {
    const client = await this.pool.client({ nodes: this.urls, keyPrefix: this.library.keyPrefix });
    return client.redlock;
  }

  async theirs(urls: readonly string[] = this.urls): Promise<Rival> {
    const rival = await this.library.connect(urls);
    this.#rivals.push(rival);
    return rival;
  }

  async close(): Promise<void> {
    await Promise.all(this.#rivals.splice(0).map((rival) => rival.close()));
  }
}
