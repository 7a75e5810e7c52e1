import { Command } from 'ioredis';

/** What comes back for a command: the reply, an error reply, or word that there will be none. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly sent: boolean };

/**
 * A command that is already in the form of the protocol, answered in the very turn in which its reply is read: a promise would
 * come after a grant that was sent behind the reply.
 */
export class WireCommand extends Command {
  constructor(
    name: string,
    private wire: string,
    settle: (reply: Reply) => void,
  ) {
    super(name);
    this.promise.catch(ignore);
    const { resolve, reject } = this;
    const resolved: typeof resolve = (value) => {
      this.#forget();
      settle({ ok: true, value });
      return resolve(value);
    };
    const rejected: typeof reject = (error) => {
      this.#forget();
      // Whatever else ioredis says of a command without a reply, it is that its connection has ended.
      const reason = error.name === 'ReplyError' ? error.message : 'connection closed';
      settle({ ok: false, reason, sent: true });
      reject(error);
    };
    // In two steps: V8 makes a function that is written behind `this.x =` in its old generation, and what it knows with it.
    this.resolve = resolved;
    this.reject = rejected;
  }

  /** ioredis makes such a function for every command, which keeps the command until the next full collection. */
  #forget(): void {
    this.resolve = ignore;
    this.reject = ignore;
  }

  /** Written once, and not kept until the answer comes: a command that may have arrived is never sent again. */
  override toWritable(): string {
    const { wire } = this;
    this.wire = '';
    return wire;
  }
}

function ignore(): void {
  // The answer was told.
}
