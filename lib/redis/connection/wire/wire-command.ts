import { Command } from 'ioredis';
import { ignore } from '../../../engine/native-timers.js';
import { nodeText } from './node-text.js';

/** What comes of a command: a reply, an error reply, or the message that there will be no reply. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly sent: boolean;
      /** True if the node answered with an error. */ readonly refused?: boolean;
    };

/** Notified of what came of a command. */
export interface ReplyListener {
  /** Called when the node has answered. */
  replied(reply: Reply): void;
  /** Called when the client says that there will be no answer; the node may carry out the command all the same. */
  failed(reply: Reply): void;
}

/**
 * A command that is already encoded. Its listener is called in the very turn in which the reply is read: a promise would resolve later, after
 * a grant that the node sent behind the reply.
 */
export class WireCommand extends Command {
  /** The functions that settle the promise of ioredis. */
  #promised: Pick<Command, 'resolve' | 'reject'>;

  constructor(
    name: string,
    private wire: string,
    private readonly listener: ReplyListener,
  ) {
    super(name);
    this.#promised = { resolve: this.resolve, reject: this.reject };
    // Bound: tracing tools replace these functions by their own, which call the original ones without `this`.
    this.resolve = this.#resolved.bind(this);
    this.reject = this.#rejected.bind(this);
  }

  /** Returns the bytes once, and does not keep it until the answer comes: a command that may have arrived is never sent again. */
  override toWritable(): string {
    const { wire } = this;
    this.wire = '';
    return wire;
  }

  #resolved(value: unknown): void {
    const { resolve } = this.#end();
    this.listener.replied({ ok: true, value });
    resolve(value);
  }

  #rejected(error: Error): void {
    const { reject } = this.#end();
    // The listener gets the answer.
    this.promise.catch(ignore);
    if (error.name === 'ReplyError')
      this.listener.replied({ ok: false, reason: nodeText(error.message), sent: true, refused: true });
    // Any other error of ioredis for a command without a reply means that its connection has ended.
    else this.listener.failed({ ok: false, reason: 'connection closed', sent: true });
    reject(error);
  }

  /** Makes the command ignore what comes after this; returns the functions that settle the promise. */
  #end(): Pick<Command, 'resolve' | 'reject'> {
    const promised = this.#promised;
    // Functions that stayed here would keep the command alive until the next full collection.
    this.#promised = NOTHING;
    this.resolve = this.reject = ignore;
    return promised;
  }
}

const NOTHING = { resolve: ignore, reject: ignore };

/** Encodes one word of a command for the protocol: its length in bytes, then the word. */
export function bulk(word: string): string {
  return `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
}

/** Encodes a whole command for the protocol. */
export function commandOf(...words: readonly string[]): string {
  return `*${words.length}\r\n${words.map(bulk).join('')}`;
}
