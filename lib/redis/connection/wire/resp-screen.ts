import { NonsenseError } from './node-text.js';
import type { Redis } from 'ioredis';
import { ignore } from '../../../engine/native-timers.js';

/** Bytes that may come without a complete answer. Our largest answers, which name the owners of 128 locks, have a part of that. */
const MOST_BYTES = 8 * 1_024 * 1_024;
/** Items of one answer: a batch has three for each of its 128 operations at most. */
const MOST_ITEMS = 10_000;
/** An answer to HELLO has lists in lists, with the modules of the server. */
const MOST_LEVELS = 8;
/** Messages that may come without an answer between them: one for each attempt that waits in a queue. */
const MOST_PUSHES = 20_000;
/** Characters of the first word of a message that are read. */
const LONGEST_KIND = 32;

/** The forms of the values that are one line, by their first character. */
const LINES: Readonly<Record<string, RegExp>> = {
  '+': /^/,
  '-': /^/,
  ':': /^[+-]?\d{1,19}$/,
  ',': /^[+-]?[\w.+-]{1,40}$/,
  '(': /^[+-]?\d{1,100}$/,
  _: /^$/,
  '#': /^[tf]$/,
};
/** The types that announce how many bytes follow, and those that announce how many items. */
const TEXTS = '$=!';
const LISTS = '*~%>';
const TYPES = [...Object.keys(LINES), TEXTS, LISTS].join('');
const SIZE = /^\d{1,9}$/;
/** For each kind of Pub/Sub message: the RESP types of its parts. */
const MESSAGES: ReadonlyMap<string, RegExp> = new Map([
  ['message', /^[$+]{3}$/],
  ['subscribe', /^[$+]{2}:$/],
]);
const NULL_SIZE = '-1';
const LINE_END = '\r\n';
const LF = 10;
const OF_SUBSCRIPTIONS = /message$|subscribe$/;

/** Returns the name of a command that has no answer yet; the next one to be answered has number 0. */
export type AskedName = (number: number) => string | undefined;

/**
 * Checks what a node sends before ioredis reads it. ioredis reserves memory for as many items as a node announces, keeps an answer without an end,
 * and throws where nobody can catch it if a message has other parts than it expects.
 */
export class RespScreen {
  /** The beginning of a line of which the end has not come yet. */
  #line = '';
  /** Bytes of a text that are still to come, with its line end. */
  #textLeft = 0;
  /** For each list that is not complete, how many items are still to come. */
  readonly #lists: number[] = [];
  #items = 0;
  /** The type of the present answer, those of its parts, and the first of its parts if it is a message. */
  #type = '';
  #parts = '';
  #kind = '';
  #bytes = 0;
  #pushes = 0;
  /** How many commands are answered by the present bytes. */
  #answers = 0;

  constructor(private readonly asked: AskedName) {}

  /** @throws NonsenseError if ioredis must not read these bytes, or any after them */
  check(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#answers = 0;
    let at = 0;
    while (at < chunk.length) at = this.#textLeft > 0 ? this.#passText(chunk, at) : this.#passLine(chunk, at);
    if (this.#bytes > MOST_BYTES) throw new NonsenseError(`it sent ${MOST_BYTES} bytes without the end of an answer`);
  }

  #passText(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#textLeft);
    if (this.#isKind) this.#kind = (this.#kind + chunk.toString('latin1', at, end)).slice(0, LONGEST_KIND);
    this.#textLeft -= end - at;
    if (this.#textLeft === 0) this.#valueEnds(chunk.length - end);
    return end;
  }

  #passLine(chunk: Buffer, at: number): number {
    if (this.#line === '' && !TYPES.includes(String.fromCharCode(chunk[at]!))) throw unreadable();
    const end = chunk.indexOf(LF, at) + 1;
    if (end === 0) {
      this.#line += chunk.toString('latin1', at);
      return chunk.length;
    }
    const line = this.#line + chunk.toString('latin1', at, end);
    this.#line = '';
    if (this.#isWhole(line)) this.#valueEnds(chunk.length - end);
    return end;
  }

  /** Reads a line; returns whether it is a whole value, and not the head of one. */
  #isWhole(line: string): boolean {
    const [type = '', body] = [line[0], line.slice(1, -LINE_END.length)];
    if (!line.endsWith(LINE_END) || body.includes('\r')) throw unreadable();
    this.#count(type);
    const form = LINES[type];
    if (form !== undefined) {
      if (!form.test(body)) throw unreadable();
      if (this.#isKind) this.#kind = body.slice(0, LONGEST_KIND);
      return true;
    }
    if (body === NULL_SIZE && (type === '$' || type === '*')) {
      this.#parts = `${this.#parts.slice(0, -1)}_`;
      return true;
    }
    if (!SIZE.test(body)) throw unreadable();
    return TEXTS.includes(type) ? this.#beginText(type, Number(body)) : this.#beginList(type, Number(body));
  }

  #count(type: string): void {
    const level = this.#lists.length;
    if (level === 0) [this.#type, this.#parts, this.#kind] = [type, '', ''];
    else if (level === 1) this.#parts += type;
    this.#items += 1;
  }

  #beginText(type: string, size: number): false {
    if (size > MOST_BYTES) throw new NonsenseError(`it announced ${size} bytes`);
    // The first four characters are the format of the text.
    if (type === '=' && size < 4) throw unreadable();
    this.#textLeft = size + LINE_END.length;
    return false;
  }

  #beginList(type: string, size: number): boolean {
    const level = this.#lists.length;
    if (!LISTS.includes(type) || (type === '>' && level > 0) || level === MOST_LEVELS) throw unreadable();
    const items = type === '%' ? 2 * size : size;
    if (this.#items + items > MOST_ITEMS) throw new NonsenseError(`it announced ${items} items`);
    if (items > 0) this.#lists.push(items);
    return items === 0;
  }

  /** Whether the present value is the first part of a message. */
  get #isKind(): boolean {
    return this.#type === '>' && this.#lists.length === 1 && this.#parts.length === 1;
  }

  /** `rest` is how many bytes have come after the value. */
  #valueEnds(rest: number): void {
    const lists = this.#lists;
    while (lists.length > 0) {
      lists[lists.length - 1]! -= 1;
      if (lists.at(-1)! > 0) return;
      lists.pop();
    }
    this.#items = 0;
    if (this.#type === '>') return this.#messageEnds();
    this.#answerEnds();
    this.#pushes = 0;
    this.#bytes = rest;
  }

  #messageEnds(): void {
    this.#pushes += 1;
    if (this.#pushes > MOST_PUSHES) throw new NonsenseError(`it sent ${MOST_PUSHES} messages without an answer`);
    const kind = this.#kind.trimEnd();
    const form = MESSAGES.get(kind);
    const isReadable = form?.test(this.#parts) ?? /^([$+]|$)/.test(this.#parts);
    if (!isReadable || (form === undefined && OF_SUBSCRIPTIONS.test(kind))) throw unreadable();
    if (kind === 'subscribe' && this.#nextAsked() !== 'subscribe') throw unasked();
  }

  #answerEnds(): void {
    const name = this.#nextAsked();
    if (name === undefined) throw unasked();
    // Only a message says that a channel is subscribed to.
    if (name === 'subscribe' && !'-!'.includes(this.#type)) throw unreadable();
  }

  #nextAsked(): string | undefined {
    this.#answers += 1;
    return this.asked(this.#answers - 1);
  }
}

function unreadable(): NonsenseError {
  return new NonsenseError('it sent an answer that cannot be read');
}

function unasked(): NonsenseError {
  return new NonsenseError('it sent an answer that nobody has asked for');
}

/** Keeps errors from ending the process. ioredis listens for the first error only, and a second one may follow, such as an alert of TLS. */
export function outliveErrors(stream: Pick<Redis['stream'], 'on' | 'listeners'> | undefined): void {
  // ioredis handles it. One listener is enough for any number of errors.
  if (stream && !stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

/**
 * Checks the input of a new connection before ioredis reads it, and destroys the stream at the first byte that ioredis must not read. The check also
 * makes Node pass input on at once. Alone, ioredis would read one tick later, because Node does not notice `prependListener`.
 */
export function screenInput(redis: Redis): void {
  const { stream } = redis;
  const screen = new RespScreen((number) => redis.commandQueue.peekAt(number)?.command.name);
  const readers = stream.rawListeners('data');
  stream.removeAllListeners('data');
  outliveErrors(stream);
  stream.on('data', (chunk: Buffer) => {
    if (stream.destroyed) return;
    try {
      screen.check(chunk);
    } catch (error) {
      stream.destroy(error as Error);
      return;
    }
    for (const read of readers) read.call(stream, chunk);
  });
}
