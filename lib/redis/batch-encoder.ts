import { randomBytes } from 'node:crypto';
import type { Claim } from '../core/claim.js';
import { counterOf } from '../core/fencing.js';
import { BATCH_SCRIPT, BATCH_SHA } from './batch-script.js';
import type { Batch, Verb } from './batch.js';
import { bulk } from './resp.js';

const SCRIPT = { evalsha: bulk('EVALSHA') + bulk(BATCH_SHA), eval: bulk('EVAL') + bulk(BATCH_SCRIPT) } as const;
/** Characters of an ordinary value, of which many are packed into one word. */
const VALUE_LENGTH = 27;
/** Which terms a verb needs. */
const NEEDS: Record<Verb, { ttl?: true; proposal?: true; grace?: true; ticket?: true }> = {
  A: { ttl: true, proposal: true },
  W: { ttl: true, proposal: true, grace: true, ticket: true },
  E: { ttl: true },
  F: { proposal: true },
  K: { ttl: true },
  R: {},
  L: { grace: true },
  S: { grace: true },
  Y: { grace: true, ticket: true },
  a: { ttl: true, proposal: true },
  e: { ttl: true },
  f: { proposal: true },
  k: { ttl: true },
  r: {},
};

const CHECKS = { asked: bulk('c'), unasked: bulk('C') } as const;
const NO_CHECKS = { asked: bulk('n'), unasked: bulk('N') } as const;
/** In place of the run of a node that is not known, or not to be relied upon. */
export const NO_RUN = Buffer.from(bulk('-'));
const NO_TICKET = { grace: 0, arrived: 0 } as const;

interface Terms {
  readonly ttl: number;
  readonly proposal: number;
  readonly grace: number;
  readonly ticket: number;
}

interface Asked {
  readonly claim: Claim;
  readonly ttl: number;
  readonly proposal: number;
}

/** The parts of a script call while they are put together. */
class Draft {
  keys = '';
  verbs = '';
  values = '';
  counters = '';
  words = '';
  wordCount = 0;
  ttl = -1;
  grace = -1;
  ticket = -1;
  proposal = -1;

  word(word: string | number): void {
    this.words += bulk(String(word));
    this.wordCount += 1;
  }
}

/** How far a pool trusts its nodes. */
export interface TrustTerms {
  /** Ms that a lease may last at most. */
  readonly maxTtl: number;
  /** Whether nodes that may have forgotten locks are kept out of the vote until these have ended. */
  readonly restartQuarantine: boolean;
}

/** Puts batches into the form of the protocol, once for all nodes of a pool that are asked the same. */
export class BatchEncoder {
  readonly trust: TrustTerms;
  /** The private channel on which this process is told of grants. */
  readonly channel: string;
  /** The key of what a node notes of its own trustworthiness. */
  readonly marker: string;
  /** The mark that somebody waits on a node, the marker, and the fence counters. */
  readonly #marks: string;
  readonly #maxTtl: string;
  #latest: { readonly batch: Batch; readonly wire: Buffer } | undefined;

  constructor(
    readonly keyPrefix: string,
    trust: TrustTerms,
  ) {
    // As Redis takes it.
    this.trust = { ...trust, maxTtl: Math.floor(trust.maxTtl) };
    this.channel = `${keyPrefix}~grants:${randomBytes(12).toString('base64url')}`;
    this.marker = `${keyPrefix}~node`;
    this.#marks = bulk(`${keyPrefix}~waiting`) + bulk(this.marker) + bulk(`${keyPrefix}~fence`);
    this.#maxTtl = bulk(String(this.trust.maxTtl));
  }

  /** `run` is which run of the node this connection leads to, as a word. */
  wire(batch: Batch, command: keyof typeof SCRIPT, run = NO_RUN): Buffer {
    // Who does not know the script is not known either.
    if (command === 'eval') return Buffer.concat([this.#encode(batch, command), NO_RUN]);
    if (!this.#latest?.batch.isLike(batch)) this.#latest = { batch, wire: this.#encode(batch, command) };
    return joined(this.#latest.wire, run);
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
    const { keys, verbs, values, counters, words, wordCount } = draft;
    const head = `*${13 + batch.keyCount + wordCount}\r\n${SCRIPT[command]}${bulk(String(3 + batch.keyCount))}`;
    const sender = bulk(`${this.channel} ${Date.now() * 1_000}`);
    const packed = bulk(verbs) + bulk(values) + bulk(counters);
    const trust = this.#maxTtl + this.#checkOf(batch, command);
    return Buffer.from(head + this.#marks + keys + sender + packed + trust + words);
  }

  /** An empty batch only asks whether the node would vote; and no node gets to know the script without being checked. */
  #checkOf({ asksForVotes, verbs }: Batch, command: keyof typeof SCRIPT): string {
    const asks = asksForVotes || verbs.length === 0 || command === 'eval';
    if (this.trust.restartQuarantine) return asks ? CHECKS.asked : CHECKS.unasked;
    return asks ? NO_CHECKS.asked : NO_CHECKS.unasked;
  }

  #add(draft: Draft, verb: Verb, { claim, ttl, proposal }: Asked): void {
    const { grace, arrived } = claim.ticket ?? NO_TICKET;
    this.#setTerms(draft, verb, { ttl, proposal, grace, ticket: arrived });
    if (claim.value.length === VALUE_LENGTH) {
      draft.values += claim.value;
    } else {
      draft.verbs += '=';
      draft.word(claim.value);
    }
    draft.verbs += verb;
    const { resources } = claim;
    draft.keys += resources.length === 1 ? this.#keyOf(claim) : this.#keysOf(claim);
    for (let index = 0; index < resources.length; index += 1) draft.counters += counterOf(resources[index]!);
    if (resources.length > 1) draft.word(resources.length);
  }

  /** Terms stand until they change, since most operations of a batch have the same ones. */
  #setTerms(draft: Draft, verb: Verb, terms: Terms): void {
    const { ttl, proposal, grace, ticket } = terms;
    const needs = NEEDS[verb];
    if ((!needs.ttl || draft.ttl === ttl) && (!needs.proposal || draft.proposal === proposal)) {
      if ((!needs.grace || draft.grace === grace) && (!needs.ticket || draft.ticket === ticket)) return;
    }
    draft.verbs += '@';
    draft.word(ttl);
    draft.word(`${grace} ${ticket}`);
    draft.word(proposal);
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

/** For every connection a copy, since a socket may keep what it cannot send yet. */
function joined(wire: Buffer, run: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(wire.length + run.length);
  wire.copy(whole);
  run.copy(whole, wire.length);
  return whole;
}
