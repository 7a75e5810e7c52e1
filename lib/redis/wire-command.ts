import { Command } from 'ioredis';

/** What comes back for a command: the reply, an error reply, or word that there will be none. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly sent: boolean };

/** Who is told what came back. */
export interface ReplyListener {
  replied(reply: Reply): void;
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
    // Bound, since whoever traces commands puts functions of his own in their place, which call these without the command; and of
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
    this.#tell({ ok: true, value }).resolve(value);
  }

  #rejected(error: Error): void {
    // Whatever else ioredis says of a command without a reply, it is that its connection has ended.
    const reason = error.name === 'ReplyError' ? error.message : 'connection closed';
    const { reject } = this.#tell({ ok: false, reason, sent: true });
    this.promise.catch(ignore);
    reject(error);
  }

  /** Tells the reply, and nothing more after that; returns what settles the promise. */
  #tell(reply: Reply): Pick<Command, 'resolve' | 'reject'> {
    const promised = this.#promised;
    // A function that stayed would keep its command until the next full collection.
    this.#promised = NOTHING;
    this.resolve = this.reject = ignore;
    this.listener.replied(reply);
    return promised;
  }
}

const NOTHING = { resolve: ignore, reject: ignore };

function ignore(): void {
  // The answer was told.
}
