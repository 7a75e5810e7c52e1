import { randomBytes } from 'node:crypto';
import type { Claim } from '../../core/port/claim.js';
import type { Clock } from '../../core/time/clock.js';
import { FAMILIES } from '../../core/port/key-families.js';
import { counterOf } from '../../core/port/fencing.js';
import { BATCH_SCRIPT, BATCH_SHA } from '../scripts/batch-script.js';
import type { Batch, Verb } from './batch.js';
import { bulk } from '../connection/resp.js';
import { NEEDS, type Needs } from './verb-needs.js';
import { WireSpecimens } from './wire-specimens.js';

const SCRIPT = { evalsha: bulk('EVALSHA') + bulk(BATCH_SHA), eval: bulk('EVAL') + bulk(BATCH_SCRIPT) } as const;
/** Characters of an ordinary value, of which many are packed into one word. */
const VALUE_LENGTH = 27;
const CHECKS = { asked: 'c', unasked: 'C' } as const;
const NO_CHECKS = { asked: 'n', unasked: 'N' } as const;
/** How many batches are kept for the other nodes: of 128 names each, and of 64 KiB at most. */
const MOST_KEPT = 16;
/** In place of the run of a node that is not known, or not to be relied upon. */
export const NO_RUN = bulk('-');
const NO_TICKET = { ttl: 0, arrived: 0, since: undefined } as const;

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
  grantTtl = -1;
  ticket = -1;
  since: number | undefined;
  proposal = -1;
  tokens = -1;

  begin(): void {
    this.keys = this.verbs = this.values = this.counters = this.words = '';
    this.wordCount = 0;
    this.ttl = this.grantTtl = this.ticket = this.proposal = this.tokens = -1;
  }

  /** Terms stand until they change, since most operations of a batch have the same ones. */
  setTerms(needs: Needs, { claim, ttl, proposal }: Asked): void {
    const { ttl: grantTtl, arrived, since } = claim.ticket ?? NO_TICKET;
    if ((!needs.ttl || this.ttl === ttl) && (!needs.proposal || this.proposal === proposal)) {
      const isTicket = this.ticket === arrived && this.since === since;
      const isLike = (!needs.grantTtl || this.grantTtl === grantTtl) && (!needs.ticket || isTicket);
      if (isLike && (!needs.tokens || this.tokens === claim.tokens)) return;
    }
    this.verbs += '@';
    this.word(ttl);
    this.word(`${grantTtl} ${arrived} ${since ?? ''}`);
    this.word(proposal);
    this.word(claim.tokens);
    this.ttl = ttl;
    this.grantTtl = grantTtl;
    this.ticket = arrived;
    this.since = since;
    this.proposal = proposal;
    this.tokens = claim.tokens;
  }

  word(word: string | number): void {
    this.words += bulk(String(word));
    this.wordCount += 1;
  }
}

/** A batch, and what it is in the form of the protocol, but for the run of the node. */
interface Encoded {
  readonly batch: Batch;
  readonly wire: string;
}

/** How far a pool trusts its nodes. */
export interface TrustTerms {
  /** Ms that a lease may last at most. */
  readonly maxTtl: number;
  /** Whether nodes that may have forgotten locks are kept out of the vote until these have ended. */
  readonly restartQuarantine: boolean;
}

/** What nodes need of an encoder. */
export type Encoder = Pick<BatchEncoder, 'trust' | 'channel' | 'marker' | 'keyPrefix' | 'wire' | 'forget'>;

/** Puts batches into the form of the protocol, once for all nodes of a pool that are asked the same. */
export class BatchEncoder {
  readonly trust: TrustTerms;
  /** The private channel on which this process is told of grants. */
  readonly channel: string;
  /** The key of what a node notes of its own trustworthiness. */
  readonly marker: string;
  /** Kept here, since there is one encoder for all nodes of a pool. */
  readonly specimens = new WireSpecimens();
  /** The mark that somebody waits on a node, the marker, and the fence counters. */
  readonly #marks: string;
  readonly #maxTtl: string;
  /** Of which nodes make the secrets by which they sign grants, where nobody waited before. */
  readonly #secret = randomBytes(16).toString('hex');
  /** One for all batches, since what V8 knows of such an object is lost with the last of them. */
  readonly #draft = new Draft();
  /** What was put into words lately: many callers at once make several batches, which each of the nodes is sent in turn. */
  #latest: Encoded[] = [];

  constructor(
    readonly keyPrefix: string,
    trust: TrustTerms,
    readonly clock: Pick<Clock, 'now'>,
  ) {
    this.trust = { ...trust, maxTtl: Math.floor(trust.maxTtl) }; // As Redis takes it.
    this.channel = `${keyPrefix}~grants:${randomBytes(12).toString('base64url')}`;
    this.marker = `${keyPrefix}${FAMILIES.node}`;
    this.#marks = [FAMILIES.waiting, FAMILIES.node, FAMILIES.fences].map((family) => bulk(keyPrefix + family)).join('');
    this.#maxTtl = bulk(String(this.trust.maxTtl));
  }

  /** As text, which Node writes without a buffer of its own; `run` is which run of the node this connection leads to, as a word. */
  wire(batch: Batch, command: keyof typeof SCRIPT, run = NO_RUN): string {
    // Who does not know the script is not known either.
    if (command === 'eval') return this.#encode(batch, command) + NO_RUN;
    return this.#shared(batch, command) + run;
  }

  /** Lets go of what it keeps for the other nodes, but for the parts of one batch, which the next one replaces. */
  forget(): void {
    if (this.#latest.length > 0) this.#latest = [];
  }

  #shared(batch: Batch, command: keyof typeof SCRIPT): string {
    for (const known of this.#latest) if (known.batch.isLike(batch)) return known.wire;
    const wire = this.#encode(batch, command);
    if (this.#latest.length === MOST_KEPT) this.#latest.shift();
    this.#latest.push({ batch, wire });
    return wire;
  }

  #encode(batch: Batch, command: keyof typeof SCRIPT): string {
    const draft = this.#draft;
    draft.begin();
    for (let index = 0; index < batch.verbs.length; index += 1) {
      this.#add(batch.verbs[index]!, batch.questions[index]!);
    }
    const { keys, verbs, values, counters, words, wordCount } = draft;
    const head = `*${12 + batch.keyCount + wordCount}\r\n${SCRIPT[command]}${bulk(String(3 + batch.keyCount))}`;
    const sender = bulk(`${this.channel} ${Math.round(this.clock.now().monotonic * 1_000)} ${this.#secret}`);
    const packed = bulk(this.#checkOf(batch, command) + verbs) + bulk(values) + bulk(counters);
    // Unlike a sum it is put together here, and not by each node for itself.
    return [head, this.#marks, keys, sender, packed, this.#maxTtl, words].join('');
  }

  /** An empty batch only asks whether the node would vote; and no node gets to know the script without being checked. */
  #checkOf({ asksForVotes, verbs }: Batch, command: keyof typeof SCRIPT): string {
    const asks = asksForVotes || verbs.length === 0 || command === 'eval';
    if (this.trust.restartQuarantine) return asks ? CHECKS.asked : CHECKS.unasked;
    return asks ? NO_CHECKS.asked : NO_CHECKS.unasked;
  }

  #add(verb: Verb, asked: Asked): void {
    const draft = this.#draft;
    const { claim } = asked;
    draft.setTerms(NEEDS[verb], asked);
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

  #keyOf(claim: Claim): string {
    claim.encoding ??= bulk(this.keyPrefix + claim.resources[0]!);
    return claim.encoding as string;
  }

  #keysOf({ resources }: Claim): string {
    return resources.map((resource) => bulk(this.keyPrefix + resource)).join('');
  }
}
