import { randomBytes } from 'node:crypto';
import type { Claim } from '../core/claim.js';
import { BATCH_SCRIPT, BATCH_SHA } from './batch-script.js';
import type { Batch, Verb } from './batch.js';
import { bulk } from './resp.js';

const SCRIPT = { evalsha: bulk('EVALSHA') + bulk(BATCH_SHA), eval: bulk('EVAL') + bulk(BATCH_SCRIPT) } as const;
/** Characters of an ordinary value, of which many are packed into one word. */
const VALUE_LENGTH = 27;
/** Which terms a verb needs. */
const NEEDS: Record<Verb, { ttl?: true; grace?: true; ticket?: true }> = {
  A: { ttl: true },
  W: { ttl: true, grace: true, ticket: true },
  E: { ttl: true },
  R: {},
  L: { grace: true },
  S: { grace: true },
  Y: { grace: true, ticket: true },
  a: { ttl: true },
  e: { ttl: true },
  r: {},
};

/** The parts of a script call while they are put together. */
class Draft {
  keys = '';
  verbs = '';
  values = '';
  words = '';
  wordCount = 0;
  ttl = -1;
  grace = -1;
  ticket = -1;

  word(word: string | number): void {
    this.words += bulk(String(word));
    this.wordCount += 1;
  }
}

/** Puts batches into the form of the protocol, once for all nodes of a pool that are asked the same. */
export class BatchEncoder {
  /** The private channel on which this process is told of grants. */
  readonly channel: string;
  /** The mark that somebody waits on a node. */
  readonly #mark: string;
  #latest: { readonly batch: Batch; readonly wire: Buffer } | undefined;

  constructor(readonly keyPrefix: string) {
    this.channel = `${keyPrefix}~grants:${randomBytes(12).toString('base64url')}`;
    this.#mark = bulk(`${keyPrefix}~waiting`);
  }

  wire(batch: Batch, command: keyof typeof SCRIPT): Buffer {
    if (command === 'eval') return this.#encode(batch, command);
    if (!this.#latest?.batch.isLike(batch)) this.#latest = { batch, wire: this.#encode(batch, command) };
    return this.#latest.wire;
  }

  /** Lets go of what it keeps for the other nodes. */
  forget(): void {
    this.#latest = undefined;
  }

  #encode(batch: Batch, command: keyof typeof SCRIPT): Buffer {
    const draft = new Draft();
    for (let index = 0; index < batch.verbs.length; index += 1) {
      this.#add(draft, batch.verbs[index]!, batch.questions[index]!);
    }
    const { keys, verbs, values, words, wordCount } = draft;
    const head = `*${7 + batch.keyCount + wordCount}\r\n${SCRIPT[command]}${bulk(String(1 + batch.keyCount))}`;
    const sender = bulk(`${this.channel} ${Date.now() * 1_000}`);
    return Buffer.from(head + this.#mark + keys + sender + bulk(verbs) + bulk(values) + words);
  }

  #add(draft: Draft, verb: Verb, { claim, ttl }: { readonly claim: Claim; readonly ttl: number }): void {
    this.#setTerms(draft, verb, { ttl, grace: claim.ticket?.grace ?? 0, ticket: claim.ticket?.arrived ?? 0 });
    if (claim.value.length === VALUE_LENGTH) {
      draft.values += claim.value;
    } else {
      draft.verbs += '=';
      draft.word(claim.value);
    }
    draft.verbs += verb;
    draft.keys += claim.resources.length === 1 ? this.#keyOf(claim) : this.#keysOf(claim);
    if (claim.resources.length > 1) draft.word(claim.resources.length);
  }

  /** Terms stand until they change, since most operations of a batch have the same ones. */
  #setTerms(
    draft: Draft,
    verb: Verb,
    terms: { readonly ttl: number; readonly grace: number; readonly ticket: number },
  ): void {
    const { ttl, grace, ticket } = terms;
    const needs = NEEDS[verb];
    if (!needs.ttl || draft.ttl === ttl) {
      if ((!needs.grace || draft.grace === grace) && (!needs.ticket || draft.ticket === ticket)) return;
    }
    draft.verbs += '@';
    draft.word(ttl);
    draft.word(`${grace} ${ticket}`);
    Object.assign(draft, terms);
  }

  #keyOf(claim: Claim): string {
    claim.encoding ??= bulk(this.keyPrefix + claim.resources[0]!);
    return claim.encoding as string;
  }

  #keysOf({ resources }: Claim): string {
    return resources.map((resource) => bulk(this.keyPrefix + resource)).join('');
  }
}
