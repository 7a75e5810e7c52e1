import { Claim, type Grant, type Place } from '../../../lib/core/port/claim.js';
import type { Clock } from '../../../lib/core/time/clock.js';
import { FAMILIES } from '../../../lib/core/port/key-families.js';
import type { Encoder, TrustTerms } from '../../../lib/redis/batch/batch-encoder.js';
import type { Batch } from '../../../lib/redis/batch/batch.js';
import type { Verb } from '../../../lib/redis/scripts/protocol.js';

/** Those of a letter have a place in a line, which they take or leave. */
const HAVE_A_PLACE: ReadonlySet<Verb> = new Set(['W', 'Y', 'L', 'S']);

/** Tells the process that waits under `channel` on a node that it is that claim's turn. */
export type Teller = (node: string, claim: SentClaim, grant: Grant) => void;

/** A place in a line as the node knows it. */
class SentPlace implements Place {
  readonly isWaiting = true;
  readonly arrived: number;
  readonly ttl: number;
  claim!: SentClaim;

  constructor(
    { arrived, ttl }: Place,
    private readonly tell: Teller,
  ) {
    this.arrived = arrived;
    this.ttl = ttl;
  }

  granted(node: string, grant: Grant): void {
    this.tell(node, this.claim, grant);
  }
}

/** A claim as it was when it was sent: what becomes of it later does not change that. */
export class SentClaim extends Claim {
  constructor(
    { resources, value }: Claim,
    readonly channel: string,
    place: SentPlace | undefined,
  ) {
    super(resources, value, place);
    if (place) place.claim = this;
  }
}

/** One question, as the node gets it. */
export interface SentOperation {
  readonly verb: Verb;
  readonly claim: SentClaim;
  readonly ttl: number;
  readonly proposal: number;
  readonly tokens: number;
}

/** A call of the batch script. */
export class SentBatch {
  constructor(
    readonly operations: readonly SentOperation[],
    readonly terms: {
      /** With the text of the script, and not only its hash. */
      readonly hasScript: boolean;
      /** Whether the node is to look if it would vote, and to say what time it has. */
      readonly isChecked: boolean;
      /** When it was asked for first, on the clock of the client. */
      readonly order: number;
    },
  ) {}
}

/** Puts batches into the form of the simulation: what goes over the wire is the batch itself, as it was then. */
export class SimulatedEncoder implements Encoder {
  readonly keyPrefix = '';
  readonly marker = FAMILIES.node;
  readonly channel: string;
  #latest: Batch | undefined;
  #wire = '';

  constructor(
    name: string,
    readonly trust: TrustTerms,
    private readonly context: { readonly clock: Pick<Clock, 'now'>; readonly tell: Teller },
  ) {
    this.channel = `~grants:${name}`;
  }

  /** Once for all nodes that are asked the same, as the real one does. */
  wire(batch: Batch, command: 'eval' | 'evalsha'): string {
    if (command === 'eval') return this.#encode(batch, true);
    if (!this.#latest?.isLike(batch)) {
      this.#wire = this.#encode(batch, false);
      this.#latest = batch;
    }
    return this.#wire;
  }

  forget(): void {
    this.#latest = undefined;
    this.#wire = '';
  }

  /** Declared as the text that it is in the library, where nobody looks into it on its way. */
  #encode(batch: Batch, hasScript: boolean): string {
    const { verbs, questions, asksForVotes } = batch;
    const operations = verbs.map((verb, index): SentOperation => {
      const { claim, ttl, proposal, tokens } = questions[index]!;
      return { verb, claim: this.#sent(claim, verb), ttl, proposal, tokens };
    });
    const isChecked = asksForVotes || verbs.length === 0 || hasScript;
    const order = (batch.sent ?? this.context.clock.now()).monotonic;
    return new SentBatch(operations, { hasScript, isChecked, order }) as unknown as string;
  }

  #sent(claim: Claim, verb: Verb): SentClaim {
    const place = claim.place && HAVE_A_PLACE.has(verb) ? new SentPlace(claim.place, this.context.tell) : undefined;
    return new SentClaim(claim, this.channel, place);
  }
}

/** The batch that goes over the wire; undefined for a command of another kind. */
export function batchIn(wire: unknown): SentBatch | undefined {
  return wire instanceof SentBatch ? wire : undefined;
}
