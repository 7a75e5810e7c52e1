import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { connectRedis } from '../../support/redis-client.js';
import type { LateExtension, Library, Rival, RivalLock } from '../library.js';

/**
 * What a library sends, as text. What begins with a capital letter is a command, and all else a Lua script with the key as KEYS[1], the
 * value as ARGV[1] and the ttl (ms) as ARGV[2]. `OK` and numbers above 0 are a yes.
 */
export interface Dialect {
  readonly name: string;
  /** The key of a lock, with `*` for its name. */
  readonly key: string;
  readonly take: string;
  readonly extend?: string;
  readonly release: string;
  readonly nodes?: 1 | 3;
  readonly lateExtension: LateExtension;
  readonly deletesAny?: boolean;
  readonly expires?: boolean;
  readonly isElsewhere?: boolean;
  /** @default 32 hexadecimal digits */
  readonly value?: () => string | Buffer;
}

interface Terms {
  readonly key: string;
  readonly value: string | Buffer;
  readonly ttl: number;
}

/** Returns the library that speaks so, over plain connections. */
export function libraryOf(dialect: Dialect): Library {
  const { name, key, nodes = 3, lateExtension, deletesAny, expires, isElsewhere } = dialect;
  const keyPrefix = isElsewhere ? '' : key.slice(0, key.indexOf('*'));
  return {
    name,
    source: 'dialect',
    keyPrefix,
    nodes,
    lateExtension,
    ...(deletesAny !== undefined && { deletesAny }),
    ...(expires !== undefined && { expires }),
    ...(isElsewhere !== undefined && { isElsewhere }),
    connect: async (urls) => new Speaker(dialect, await Promise.all(urls.map((url) => connectRedis(url)))),
  };
}

class Speaker implements Rival {
  constructor(
    private readonly dialect: Dialect,
    private readonly nodes: readonly Redis[],
  ) {}

  async take(name: string, ttl: number): Promise<RivalLock | undefined> {
    const { take, extend, release, value = hex } = this.dialect;
    const terms = { key: this.dialect.key.replace('*', name), value: value(), ttl };
    const undo = async (): Promise<void> => void (await this.#votes(release, terms));
    if (!(await this.#quorum(take, terms))) {
      // A library of one node has nothing to take back, and one that deletes any key must not.
      if (this.nodes.length > 1) await undo();
      return undefined;
    }
    const lengthen = (longer: number): Promise<boolean> => this.#quorum(extend!, { ...terms, ttl: longer });
    return { extend: extend === undefined ? undefined : lengthen, release: undo };
  }

  async close(): Promise<void> {
    for (const node of this.nodes) node.disconnect();
  }

  async #quorum(text: string, terms: Terms): Promise<boolean> {
    return (await this.#votes(text, terms)) >= (this.nodes.length >> 1) + 1;
  }

  async #votes(text: string, terms: Terms): Promise<number> {
    const replies = await Promise.allSettled(this.nodes.map((node) => ask(node, text, terms)));
    return replies.filter((reply) => reply.status === 'fulfilled' && isYes(reply.value)).length;
  }
}

function ask(node: Redis, text: string, { key, value, ttl }: Terms): Promise<unknown> {
  if (!/^[A-Z]/.test(text)) return node.eval(text, 1, key, value, ttl);
  const until = Date.now() + ttl;
  const words: Record<string, string | Buffer | number> = { key, value, ttl, seconds: Math.ceil(ttl / 1_000), until };
  const [command = '', ...rest] = text.split(' ');
  return node.call(command, ...rest.map((word) => words[word] ?? word));
}

function isYes(reply: unknown): boolean {
  return reply === 'OK' || (typeof reply === 'number' && reply > 0);
}

function hex(): string {
  return randomBytes(16).toString('hex');
}
