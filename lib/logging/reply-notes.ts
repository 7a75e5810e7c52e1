import { coded, type Coded } from '../engine/codes.js';
import type { LockEvent, ReplyEvent } from '../engine/events.js';
import type { quoted } from '../engine/names.js';
import type { Burst, Limit, Line } from './burst.js';

const FAILURES: Limit = { most: 1, window: 5_000 };
const REUSES: Limit = { most: 1, window: 60_000 };
const THIN: Limit = { most: 1, window: 60_000 };
/** How many lines that come once are remembered: labels are constant texts, and there are few of them. */
const MOST_TOLD = 1_000;

/** What to do about a reply that was not kept, by the reason of its tombstone. */
const TOMBSTONES: Readonly<Record<string, string>> = {
  size: 'it is larger than maxBytes, or than the 60,000 bytes that nodes keep. Raise maxBytes, keep replies in a database, or return less',
  stream: 'it is a stream or a file, which cannot be given again. Return a value, such as the address of the file',
  early:
    'the client was answered before the handler had ended, as by a time limit. Let the handler end earlier, or raise the limit',
  full: 'the nodes are nearly full. Give them more memory, shorten keep, or keep the replies in a database',
  value: 'no JSON can carry it. Return a plain value, or give a codec',
};

/** Writes to the log what operators should know about kept replies. */
export class ReplyNotes {
  readonly #told = new Set<string>();

  constructor(
    private readonly burst: Burst,
    private readonly names: typeof quoted,
    private readonly warn: (text: Coded) => void,
  ) {}

  notify(event: LockEvent): void {
    if (event.type === 'unkept') this.#often(event, FAILURES, ['error', coded('REDLOCK_W20', this.#unkept(event))]);
    else if (event.type === 'interrupted')
      this.#often(event, FAILURES, ['warn', coded('REDLOCK_W21', this.#interrupted(event))]);
    else if (event.type === 'unreadable')
      this.#often(event, FAILURES, ['error', coded('REDLOCK_W22', this.#unreadable(event))]);
    else if (event.type === 'reused') this.#often(event, REUSES, ['warn', coded('REDLOCK_W23', this.#reused(event))]);
    else if (event.type === 'thin-reply') this.#often(event, THIN, ['warn', coded('REDLOCK_W24', this.#thin(event))]);
    else if (event.type === 'tombstone') this.#once(event, coded('REDLOCK_W20', tombstone(event)));
    else if (event.type === 'reply-differs') this.#once(event, coded('REDLOCK_W25', differs(event)));
  }

  #often({ type, label }: ReplyEvent, limit: Limit, line: Line): void {
    this.burst.log(`${type} ${label}`, limit, line);
  }

  #once({ type, label, reason }: ReplyEvent, text: Coded): void {
    const kind = JSON.stringify([type, label, reason]);
    if (this.#told.has(kind) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(kind);
    this.warn(text);
  }

  #unkept({ resources, reason = 'no answer' }: ReplyEvent): string {
    return (
      `The reply for ${this.names(resources)} was not kept: ${reason}. Its caller has the reply. A duplicate runs again unless ` +
      'onInterrupted is "refuse". Find out why the store did not answer.'
    );
  }

  #interrupted({ resources }: ReplyEvent): string {
    return (
      `An earlier attempt for ${this.names(resources)} was interrupted: its process died, or its reply was not kept. The call runs again ` +
      'unless onInterrupted is "refuse". Check what the earlier attempt has done.'
    );
  }

  #unreadable({ resources, reason = 'no reason' }: ReplyEvent): string {
    return (
      `The kept reply for ${this.names(resources)} is unreadable: ${reason}. Its duplicates get an error and do not run. Give the module ` +
      'the codec and the encryption keys of that reply, or forget the key.'
    );
  }

  #reused({ resources, label }: ReplyEvent): string {
    return (
      `The key ${this.names(resources)} of ${label} came with another request, which is rejected. Each request needs its own key. Repair ` +
      'the client, or leave out of the fingerprint what differs between attempts of one request.'
    );
  }

  #thin({ resources, reason = 'some' }: ReplyEvent): string {
    return (
      `Some nodes lack the reply for ${this.names(resources)}: ${reason}. They get it within a minute of their return. Until then, the ` +
      'failure of fewer nodes loses the reply. Look at the nodes that do not answer.'
    );
  }
}

function tombstone({ label, reason = '' }: ReplyEvent): string {
  const why = TOMBSTONES[reason] ?? reason;
  return `A reply of ${label} was not kept, so its duplicates get an error and do not run: ${why}.`;
}

function differs({ label }: ReplyEvent): string {
  return (
    `A call of ${label} ended with another reply than keepIn has kept. Its duplicates get the kept one. Give keepIn what the client ` +
    'gets, after interceptors and serializers.'
  );
}
