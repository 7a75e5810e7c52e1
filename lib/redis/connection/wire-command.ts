import { Command } from 'ioredis';

/** What comes back for a command: the reply, an error reply, or word that there will be none. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly sent: boolean;
      /** The node said so. */ readonly refused?: boolean;
    };

/** Who is told what came back. */
export interface ReplyListener {
  /** The node answered. */
  replied(reply: Reply): void;
  /** The client says that there will be no answer; the node may do it all the same. */
  failed(reply: Reply): void;
}

/**
 * A command that is already in the form of the protocol, answered in the very turn in which its reply is read: a promise would
 * come after a grant that was sent behind the reply.
 */
export class WireCommand extends Command {
  /** What settles the promise that ioredis made. */
  #promised: Pick<Command, 'resolve' | 'reject'>;

  constructor(
    name: string,
    private wire: string,
    private readonly listener: ReplyListener,
  ) {
    super(name);
    this.#promised = { resolve: this.resolve, reject: this.reject };
    // Bound, since a tracing tool puts functions of its own in their place, which call these without the command; and of
    // functions that are made for one command V8 throws away what it compiled with the last of them.
    this.resolve = this.#resolved.bind(this);
    this.reject = this.#rejected.bind(this);
  }

  /** Written once, and not kept until the answer comes: a command that may have arrived is never sent again. */
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
    this.promise.catch(ignore);
    if (error.name === 'ReplyError')
      this.listener.replied({ ok: false, reason: error.message, sent: true, refused: true });
    // Whatever else ioredis says of a command without a reply, it is that its connection has ended.
    else this.listener.failed({ ok: false, reason: 'connection closed', sent: true });
    reject(error);
  }

  /** Takes nothing more after this; returns what settles the promise. */
  #end(): Pick<Command, 'resolve' | 'reject'> {
    const promised = this.#promised;
    // A function that stayed would keep its command until the next full collection.
    this.#promised = NOTHING;
    this.resolve = this.reject = ignore;
    return promised;
  }
}

const NOTHING = { resolve: ignore, reject: ignore };

function ignore(): void {
  // The answer was told.
}
