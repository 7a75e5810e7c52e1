import { createRequire } from 'node:module';
import type { Rival, RivalLock } from '../library.js';

/** What these tests use of a connection of ioredis 5, which the packages were made for. */
export interface Connection {
  on(event: 'error', listener: () => void): this;
  ping(): Promise<string>;
  disconnect(): void;
}

/** Loads packages that only benchmark and interop install. The root comes from outside, since this file is compiled elsewhere. */
export class Packages {
  readonly #require;

  constructor(root: string) {
    this.#require = createRequire(`${root}/test/bench/package.json`);
  }

  load(name: string): unknown {
    return this.#require(name);
  }

  async connect(urls: readonly string[]): Promise<Connection[]> {
    const { Redis } = this.load('ioredis') as { Redis: new (url: string) => Connection };
    const nodes = urls.map((url) => new Redis(url).on('error', () => undefined));
    await Promise.all(nodes.map((node) => node.ping()));
    return nodes;
  }

  /** Returns a rival over connections of its own, whose `take` is this one; what it throws is a no. */
  async rival(
    urls: readonly string[],
    begin: (nodes: Connection[]) => (name: string, ttl: number) => Promise<RivalLock | undefined>,
  ): Promise<Rival> {
    const nodes = await this.connect(urls);
    const take = begin(nodes);
    return {
      take: (name, ttl) => take(name, ttl).catch(() => undefined),
      close: async () => nodes.forEach((node) => node.disconnect()),
    };
  }
}

/** Whether a call succeeded. */
export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    (answer) => answer !== false,
    () => false,
  );
}
