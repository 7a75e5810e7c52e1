import { StreamableFile } from '@nestjs/common';
import { coded } from '../engine/codes.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { exceptionOf } from './failure.js';
import {
  changedHeaders,
  grouped,
  type HeaderSnapshot,
  type HeaderSource,
  keptHeaders,
  snapshotOf,
} from './http-headers.js';
import type { PreparedPlan } from './idempotent-plan.js';
import { jsonOf, type KeptHeaders, OtherCodecError, type Outcome, type TombstoneReason } from './record.js';
import type { ReplyWay } from './reply-way.js';
import type { Codec } from './typed-json.js';

/** A response of Express or Fastify. */
export interface HttpReply extends HeaderSource {
  readonly statusCode: number;
  removeHeader(name: string): unknown;
}

/** What is needed of the HTTP adapter of Nest. */
export interface HttpAnswers {
  isHeadersSent(response: unknown): boolean;
  status(response: unknown, status: number): unknown;
  setHeader(response: unknown, name: string, value: string | string[]): unknown;
}

const logger = new SafeLogger('Idempotent');
/** The handlers whose cookies were warned of, by their lists of headers. */
const warned = new WeakSet<object>();

/** Gives replies to HTTP clients: status, headers and the value, which Nest sends in either case. */
export class HttpWay implements ReplyWay {
  /** The headers of the response before the first run of this request; undefined until then. */
  #before: HeaderSnapshot | undefined;

  constructor(
    private readonly plan: Pick<PreparedPlan, 'headers' | 'where' | 'codec'>,
    private readonly response: HttpReply,
    private readonly adapter: HttpAnswers,
  ) {}

  begin(): void {
    // The headers of an earlier run are not those of this one.
    this.#restore();
    this.#before ??= snapshotOf(this.response);
  }

  async outcomeOf(value: unknown): Promise<Outcome> {
    const { codec } = this.plan;
    if (this.adapter.isHeadersSent(this.response)) return this.early();
    const by = codec ? 'codec' : 'http';
    const [status, headers] = [this.response.statusCode, this.#headers()];
    const made = codec ? await byCodec(codec, value) : encodeValue(value);
    return 'why' in made ? this.#tombstone(made.why) : { kind: 'reply', by, status, headers, body: made.body };
  }

  early(): Outcome {
    return this.#tombstone('early');
  }

  /** Returns the value itself: Nest sends the same JSON for it as for its copy. */
  own(value: unknown): unknown {
    return value;
  }

  replay(outcome: Outcome): unknown {
    if (outcome.kind === 'tombstone') return undefined;
    const { codec } = this.plan;
    if (outcome.kind === 'reply' && outcome.by !== (codec ? 'codec' : 'http')) throw new OtherCodecError();
    this.#restore();
    this.#set('Idempotent-Replayed', 'true');
    if (outcome.kind === 'error') throw exceptionOf(outcome.status, outcome.response);
    if (outcome.status !== undefined) this.adapter.status(this.response, outcome.status);
    for (const [name, value] of grouped(outcome.headers ?? [])) this.#set(name, value);
    return codec ? codec.decode(outcome.body) : decodeValue(outcome.body);
  }

  #set(name: string, value: string | string[]): void {
    if (!this.adapter.isHeadersSent(this.response)) this.adapter.setHeader(this.response, name, value);
  }

  #tombstone(why: TombstoneReason): Outcome {
    return { kind: 'tombstone', why, headers: this.#headers() };
  }

  #headers(): KeptHeaders {
    const after = snapshotOf(this.response);
    const before = this.#before ?? after;
    if (changedHeaders(before, after).includes('set-cookie')) this.#warnOfCookie();
    return keptHeaders(before, after, this.plan.headers);
  }

  /** Removes what a run of this request has set, if the reply of another run counts. */
  #restore(): void {
    const before = this.#before;
    if (before === undefined || this.adapter.isHeadersSent(this.response)) return;
    for (const name of changedHeaders(before, snapshotOf(this.response))) {
      const value = before.get(name);
      this.response.removeHeader(name);
      if (value !== undefined) this.#set(name, value.length === 1 ? value[0]! : [...value]);
    }
  }

  #warnOfCookie(): void {
    const { headers, where } = this.plan;
    if (warned.has(headers)) return;
    warned.add(headers);
    logger.warn(coded('REDLOCK_W25', `${where}: the handler sets a cookie. No replay repeats a cookie`));
  }
}

/** The work is done, so that a value which the codec cannot carry is answered all the same. */
async function byCodec(
  codec: Codec,
  value: unknown,
): Promise<{ readonly body: unknown } | { readonly why: TombstoneReason }> {
  try {
    return { body: await codec.encode(value) };
  } catch (error) {
    logger.error(coded('REDLOCK_W20', 'A codec failed, and a reply was not kept'), error);
    return { why: 'value' };
  }
}

/** How a value is kept: what it is, and its text or JSON. 'object': an object whose JSON is none, such as a date. */
type KeptValue = readonly [kind: 'json' | 'object' | 'text' | 'buffer' | 'bytes', content: unknown];

/** Returns what stands for a value; undefined for no value. @returns why not, if it cannot be kept */
export function encodeValue(
  value: unknown,
): { readonly body: KeptValue | undefined } | { readonly why: TombstoneReason } {
  if (value === undefined) return { body: undefined };
  if (typeof value === 'string') return { body: ['text', value] };
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    return { body: [Buffer.isBuffer(value) ? 'buffer' : 'bytes', bytes] };
  }
  if (isStream(value)) return { why: 'stream' };
  const text = jsonOf(value);
  if (text === undefined) return { why: 'value' };
  const content: unknown = JSON.parse(text);
  return { body: [isObject(value) && !isObject(content) ? 'object' : 'json', content] };
}

export function decodeValue(body: unknown): unknown {
  if (body === undefined) return undefined;
  const [kind, content] = body as KeptValue;
  // Nest sends the JSON of an object, and other values as they are.
  if (kind === 'object') return { toJSON: () => content };
  if (kind === 'buffer') return Buffer.from(content as string, 'base64');
  return kind === 'bytes' ? new Uint8Array(Buffer.from(content as string, 'base64')) : content;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Recognises what can be read only once. */
function isStream(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value instanceof StreamableFile || value instanceof Response) return true;
  const { pipe, getReader, getStream } = value as Record<string, unknown>;
  return [pipe, getReader, getStream].some((member) => typeof member === 'function') || Symbol.asyncIterator in value;
}
