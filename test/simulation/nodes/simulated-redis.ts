import type { Redis } from 'ioredis';
import { FAMILIES } from '../../../lib/core/port/key-families.js';
import type { Reply, WireCommand } from '../../../lib/redis/connection/wire/wire-command.js';
import type { Pipe } from './pipe.js';
import type { SimulatedNode } from './simulated-node.js';

/** What ioredis is to code that introduces itself over a new connection, and listens to it. */
export class SimulatedRedis {
  readonly condition = { protocol: 3 };
  #hear: (channel: string, message: string) => void = ignore;
  #pipe!: Pipe;
  #node!: SimulatedNode;
  /** What ends promises that no answer will come for. */
  readonly #open = new Set<(error: Error) => void>();

  /** As the library knows it. */
  get asRedis(): Redis {
    return this as unknown as Redis;
  }

  /** From now on it is a connection to this node. */
  connect(pipe: Pipe, node: SimulatedNode): void {
    [this.#pipe, this.#node] = [pipe, node];
  }

  /** The connection is no more. */
  end(reason: string): void {
    const open = [...this.#open];
    this.#open.clear();
    for (const reject of open) reject(new Error(reason));
  }

  on(_event: 'message', hear: (channel: string, message: string) => void): this {
    this.#hear = hear;
    return this;
  }

  subscribe(channel: string): Promise<unknown> {
    const pipe = this.#pipe;
    return this.#ask((node) => node.channels.listen(channel, pipe, (message) => this.#hear(channel, message)));
  }

  info(): Promise<string> {
    return this.#ask((node) => node.info);
  }

  /** Of the two keys that are read so: the secret of grants, and the trust marker. */
  get(key: string): Promise<string | null> {
    return this.#ask((node) => (key === FAMILIES.waiting ? node.grants.mark : node.marker));
  }

  /** Whether a claim has had a lock on it, which makes a difference to warnings only. */
  exists(_key: string): Promise<number> {
    return this.#ask(() => 0);
  }

  sendCommand(command: WireCommand): void {
    const pipe = this.#pipe;
    const reject = (error: Error): void => command.reject(error);
    this.#open.add(reject);
    const settle = (reply: Reply): void => {
      if (!this.#open.delete(reject)) return;
      if (reply.ok) command.resolve(reply.value);
      else reject(errorReply(reply.reason));
    };
    const node = this.#node;
    pipe.send(() => node.execute(command.toWritable(), (reply) => pipe.reply(() => settle(reply))));
  }

  #ask<T>(look: (node: SimulatedNode) => T): Promise<T> {
    const [pipe, node] = [this.#pipe, this.#node];
    return new Promise((resolve, reject) => {
      this.#open.add(reject);
      const settle = (settled: () => void): void => {
        if (this.#open.delete(reject)) settled();
      };
      pipe.send(() => {
        const { isBusy } = node;
        const value = isBusy ? undefined : look(node);
        pipe.reply(() => settle(() => (isBusy ? reject(errorReply(isBusy)) : resolve(value as T))));
      });
    });
  }
}

function errorReply(reason: string): Error {
  const error = new Error(reason);
  error.name = 'ReplyError';
  return error;
}

function ignore(): void {
  // Nobody listens yet.
}
