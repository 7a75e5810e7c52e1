import { randomBytes } from 'node:crypto';
import type { Claim } from '../../core/port/claim.js';
import type { Clock } from '../../core/time/clock.js';
import { FAMILIES } from '../../core/port/key-families.js';
import { counterOf } from '../../core/port/fencing.js';
import { BATCH_SCRIPT, BATCH_SHA } from '../scripts/batch-script.js';
import { CHECK, DIRECTIVE, FIXED_WORDS, NODE_KEYS, NOTHING, VALUE_LENGTH, type Verb } from '../scripts/protocol.js';
import type { Batch } from './batch.js';
import { bulk } from '../connection/wire/resp.js';
import { NEEDS, type Needs } from './verbs.js';

const SCRIPT = { evalsha: bulk('EVALSHA') + bulk(BATCH_SHA), eval: bulk('EVAL') + bulk(BATCH_SCRIPT) } as const;
/** How many encoded batches are kept for the other nodes; each has 128 names and 64 KiB at most. */
const MOST_KEPT = 16;
/** How many parts a script call has at least: the command, the script, the number of keys, and at the end the run of the node. */
const FIXED_COUNT = 3 + NODE_KEYS + FIXED_WORDS + 1;
/** The word that is sent instead of the run of a node, where the run is unknown or cannot be relied upon. */
export const NO_RUN = bulk(NOTHING);
const NO_PLACE = { ttl: 0, arrived: 0, arrivedMonotonic: undefined } as const;

interface EncodedQuestion {
  readonly claim: Claim;
  readonly ttl: number;
  readonly proposal: number;
  readonly tokens: number;
}

/** The parts of a script call while it is put together. */
class ScriptCall {
  keys = '';
  verbs = '';
  values = '';
  counters = '';
  words = '';
  wordCount = 0;
  ttl = -1;
  grantTtl = -1;
  arrived = -1;
  since: number | undefined;
  proposal = -1;
  tokens = -1;

  reset(): void {
    this.keys = this.verbs = this.values = this.counters = this.words = '';
    this.wordCount = 0;
    this.ttl = this.grantTtl = this.arrived = this.proposal = this.tokens = -1;
  }

  /** Adds the terms of an operation unless they are the current ones: most operations of a batch have the same terms. */
  setTerms(needs: Needs, { claim, ttl, proposal, tokens }: EncodedQuestion): void {
    const { ttl: grantTtl, arrived, arrivedMonotonic: since } = claim.place ?? NO_PLACE;
    if ((!needs.ttl || this.ttl === ttl) && (!needs.proposal || this.proposal === proposal)) {
      const isSameArrival = this.arrived === arrived && this.since === since;
      const isLike = (!needs.grantTtl || this.grantTtl === grantTtl) && (!needs.arrival || isSameArrival);
      if (isLike && (!needs.tokens || this.tokens === tokens)) return;
    }
    this.verbs += DIRECTIVE.terms;
    this.word(ttl);
    this.word(`${grantTtl} ${arrived} ${since ?? ''}`);
    this.word(proposal);
    this.word(tokens);
    this.ttl = ttl;
    this.grantTtl = grantTtl;
    this.arrived = arrived;
    this.since = since;
    this.proposal = proposal;
    this.tokens = tokens;
  }

  word(word: string | number): void {
    this.words += bulk(String(word));
    this.wordCount += 1;
  }
}

/** A batch in the form of the protocol, without the run of the node. */
interface Encoded {
  readonly batch: Batch;
  readonly wire: string;
}

/** How far a pool trusts its nodes. */
export interface TrustTerms {
  /** Ms that a lease may last at most. */
  readonly maxTtl: number;
  /** Whether nodes that may have forgotten locks are kept out of the vote until those locks have ended. */
  readonly restartQuarantine: boolean;
}

/** The part of an encoder that nodes need. */
export type Encoder = Pick<BatchEncoder, 'trust' | 'channel' | 'marker' | 'keyPrefix' | 'wire' | 'forget'>;

/** Encodes batches for the protocol, once for all nodes of a pool that are asked the same. */
export class BatchEncoder {
  readonly trust: TrustTerms;
  /** The private channel on which this process is notified of grants. */
  readonly channel: string;
  /** The key of a node's trust marker: see `trust-script.ts`. */
  readonly marker: string;
  /** The encoded keys that a node has beside the locks: of the waiting mark, of the trust marker, and of the fence counters. */
  readonly #nodeKeys: string;
  readonly #maxTtl: string;
  /** Proposed to a node that has no secret yet: the node derives from it the secret with which it signs grants. */
  readonly #secret = randomBytes(16).toString('hex');
  /** One object for all batches, so that there always is one (see `WarmUp`). */
  readonly #call = new ScriptCall();
  /** The batches that were encoded last: many callers at once make several batches, all of which are sent to one node after the other. */
  #latest: Encoded[] = [];

  constructor(
    readonly keyPrefix: string,
    trust: TrustTerms,
    readonly clock: Pick<Clock, 'now'>,
  ) {
    this.trust = { ...trust, maxTtl: Math.floor(trust.maxTtl) }; // Redis takes whole ms.
    this.channel = `${keyPrefix}~grants:${randomBytes(12).toString('base64url')}`;
    this.marker = `${keyPrefix}${FAMILIES.node}`;
    this.#nodeKeys = [FAMILIES.waiting, FAMILIES.node, FAMILIES.fences]
      .map((family) => bulk(keyPrefix + family))
      .join('');
    this.#maxTtl = bulk(String(this.trust.maxTtl));
  }

  /** Returns a batch as text, which Node writes without a buffer of its own; `run` is the encoded run of the node on this connection. */
  wire(batch: Batch, command: keyof typeof SCRIPT, run = NO_RUN): string {
    // A node that does not know the script may be a new run, so this call names none.
    if (command === 'eval') return this.#encode(batch, command) + NO_RUN;
    return this.#shared(batch, command) + run;
  }

  /** Drops the encoded batches; the parts of one batch stay until the next one replaces them. */
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
    const call = this.#call;
    call.reset();
    for (let index = 0; index < batch.verbs.length; index += 1) {
      this.#add(batch.verbs[index]!, batch.questions[index]!);
    }
    const { keys, verbs, values, counters, words, wordCount } = call;
    const head = `*${FIXED_COUNT + batch.keyCount + wordCount}\r\n${SCRIPT[command]}${bulk(String(NODE_KEYS + batch.keyCount))}`;
    const sender = bulk(`${this.channel} ${Math.round(this.clock.now().monotonic * 1_000)} ${this.#secret}`);
    const packed = bulk(this.#checkOf(batch, command) + verbs) + bulk(values) + bulk(counters);
    // Unlike a sum of strings, `join` puts the text together here, once for all nodes.
    return [head, this.#nodeKeys, keys, sender, packed, this.#maxTtl, words].join('');
  }

  /** Returns the letter of the check. An empty batch only asks whether the node would vote, and a node that is sent the script is always checked. */
  #checkOf({ asksForVotes, verbs }: Batch, command: keyof typeof SCRIPT): string {
    const asks = asksForVotes || verbs.length === 0 || command === 'eval';
    if (this.trust.restartQuarantine) return asks ? CHECK.checkedVote : CHECK.checkedLine;
    return asks ? CHECK.uncheckedVote : CHECK.uncheckedLine;
  }

  #add(verb: Verb, asked: EncodedQuestion): void {
    const call = this.#call;
    const { claim } = asked;
    call.setTerms(NEEDS[verb], asked);
    if (claim.value.length === VALUE_LENGTH) {
      call.values += claim.value;
    } else {
      call.verbs += DIRECTIVE.value;
      call.word(claim.value);
    }
    call.verbs += verb;
    const { resources } = claim;
    for (const resource of resources) {
      call.keys += bulk(this.keyPrefix + resource);
      call.counters += counterOf(resource);
    }
    if (resources.length > 1) call.word(resources.length);
  }
}
