import { subscribe, unsubscribe } from 'node:diagnostics_channel';

type Message = Record<string, unknown>;

/** What was published on channels, each message as it was then. */
export class ChannelLog {
  readonly entries: { readonly channel: string; readonly message: Message }[] = [];
  readonly #names: readonly string[];
  readonly #note = (message: unknown, name: string | symbol): void => {
    const channel = String(name).replace(/^(tracing:)?nestjs-redlock:/, '');
    this.entries.push({ channel, message: { ...(message as Message) } });
  };

  /** @param names such as 'hold:asyncEnd' of a tracing channel, or 'node' */
  constructor(...names: readonly string[]) {
    this.#names = names.map((name) => `${name.includes(':') ? 'tracing:' : ''}nestjs-redlock:${name}`);
    for (const name of this.#names) subscribe(name, this.#note);
  }

  get channels(): string[] {
    return this.entries.map(({ channel }) => channel);
  }

  on(channel: string): Message[] {
    return this.entries.filter((entry) => entry.channel === channel).map(({ message }) => message);
  }

  end(): void {
    for (const name of this.#names) unsubscribe(name, this.#note);
  }
}
