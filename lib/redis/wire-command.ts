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
  #resolve: Command['resolve'];
  #reject: Command['reject'];

  constructor(
    name: string,
    private wire: string,
    private readonly listener: ReplyListener,
  ) {
    super(name);
    this.#resolve = this.resolve;
    this.#reject = this.reject;
    // Of the class: what V8 compiles of functions that are made for one command is lost with the last of them.
    this.resolve = this.#resolved;
    this.reject = this.#rejected;
  }

  /** Written once, and not kept until the answer comes: a command that may have arrived is never sent again. */
  override toWritable(): string {
    const { wire } = this;
    this.wire = '';
    return wire;
  }

  #resolved(value: unknown): void {
    const resolve = this.#resolve;
    this.#forget();
    this.listener.replied({ ok: true, value });
    resolve(value);
  }

  #rejected(error: Error): void {
    const reject = this.#reject;
    this.#forget();
    // Whatever else ioredis says of a command without a reply, it is that its connection has ended.
    const reason = error.name === 'ReplyError' ? error.message : 'connection closed';
    this.listener.replied({ ok: false, reason, sent: true });
    this.promise.catch(ignore);
    reject(error);
  }

  /** ioredis makes such a function for every command, which keeps the command until the next full collection. */
  #forget(): void {
    this.resolve = this.reject = this.#resolve = this.#reject = ignore;
  }
}

function ignore(): void {
  // The answer was told.
}
