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
    // Whoever traces commands puts functions of his own in their place, which call these without the command.
    this.resolve = (value: unknown) => this.#tell({ ok: true, value }).resolve(value);
    this.reject = (error: Error) => this.#rejected(error);
  }

  /** Written once, and not kept until the answer comes: a command that may have arrived is never sent again. */
  override toWritable(): string {
    const { wire } = this;
    this.wire = '';
    return wire;
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
