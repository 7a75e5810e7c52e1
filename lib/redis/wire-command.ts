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
    this.resolve = resolved;
    this.reject = rejected;
  }

  /** Written once, and not kept until the answer comes: a command that may have arrived is never sent again. */
  override toWritable(): string {
    const { wire } = this;
    this.wire = '';
    return wire;
  }

  /**
   * Tells the reply, and nothing more after that; returns what settles the promise. ioredis makes such functions for every command,
   * which keep the command until the next full collection.
   */
  tell(reply: Reply): Pick<Command, 'resolve' | 'reject'> {
    const promised = this.#promised;
    this.#promised = NOTHING;
    this.resolve = this.reject = ignore;
    this.listener.replied(reply);
    return promised;
  }
}

const NOTHING = { resolve: ignore, reject: ignore };

// Two for all commands: what V8 compiles of functions that are made for one command is lost with the last of them.

function resolved(this: WireCommand, value: unknown): void {
  this.tell({ ok: true, value }).resolve(value);
}

function rejected(this: WireCommand, error: Error): void {
  // Whatever else ioredis says of a command without a reply, it is that its connection has ended.
  const reason = error.name === 'ReplyError' ? error.message : 'connection closed';
  const { reject } = this.tell({ ok: false, reason, sent: true });
  this.promise.catch(ignore);
  reject(error);
}

function ignore(): void {
  // The answer was told.
}
