import { EventEmitter } from 'node:events';
import { signatureOf } from '../../lib/redis/grant-signature.js';

/** As ioredis names what a node answers, and what it says itself. */
const nameOf = (message: string): string => (/^[A-Z]+ /.test(message) ? 'ReplyError' : 'Error');

/** As much of a client as a channel for grants needs. */
export class RedisStub extends EventEmitter {
  readonly subscribed: string[] = [];
  /** By which the node signs; undefined where nobody has waited on it. */
  secret: string | undefined = '5ec7e7';

  constructor(
    readonly condition: { readonly protocol: number } | null,
    public refusal?: string,
  ) {
    super();
  }

  async subscribe(channel: string): Promise<number> {
    this.subscribed.push(channel);
    if (this.refusal !== undefined) throw Object.assign(new Error(this.refusal), { name: nameOf(this.refusal) });
    return 1;
  }

  async get(key: string): Promise<string | null> {
    if (key !== 'lock:~waiting') throw new Error(`it asks for ${key}`);
    return this.secret === undefined ? null : `1795000000000000 ${this.secret}`;
  }

  /** A grant as the node tells it. */
  say(grant: string, secret = this.secret ?? ''): void {
    this.publish(`${signatureOf(grant, secret)} ${grant}`);
  }

  publish(message: string): void {
    this.emit('message', 'grants', message);
  }
}
