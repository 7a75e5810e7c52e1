import type { Grant, Place } from '../../port/claim.js';
import type { AcquireRequest } from '../request.js';
import type { AcquireAnswer } from '../../port/lock-node.js';
import type { NodePool } from '../../quorum/node-pool.js';
import { OwnClaim } from '../../quorum/own-claim.js';
import { VoteTransfer } from './vote-transfer.js';
import type { Validity } from '../../time/validity.js';
import { Votes } from '../../quorum/votes.js';

/** Thrown if a command on its way to a node may release the claim, and the value cannot be replaced because other parts of the lock share it. */
export class ValueInDoubt extends Error {}

/** The owner of a place in line. */
export interface Waiter {
  /** How many fencing tokens it asks for with each vote of its next claim. */
  readonly tokens: number;
  /** Called when `node` has given the resource to this waiter. */
  granted(node: string, grant: Grant): void;
  /** Called when a vote of the node at `nodeIndex` does not count any more. */
  doubted(nodeIndex: number): void;
}

/** What a place in line tells its owner. */
type PlaceListener = Pick<Waiter, 'granted' | 'doubted'>;

/** Ms: the precision with which the nodes are told when a waiter came, on the monotonic clock of its process. */
const COARSE = 16;

/** When a waiter came, and what it asks for. */
interface PlaceTerms extends Required<Pick<Place, 'ttl' | 'tokens'>> {
  /** When the waiter came, ms on the clocks of the nodes. */
  readonly date: number;
  /** When the waiter came, ms on the monotonic clock of this process. */
  readonly monotonic: number;
}

/**
 * A place in line. The claim of a lock keeps its place for as long as the lock lasts. So `stopWaiting` drops the waiter: otherwise the claim would
 * keep everything alive that led to the lock.
 */
export class OwnPlace implements Place {
  readonly arrived: number;
  readonly arrivedMonotonic: number;
  readonly ttl: number;
  readonly tokens: number;
  #waiter: PlaceListener | undefined;

  constructor({ date, monotonic, ttl, tokens }: PlaceTerms, waiter: PlaceListener) {
    this.ttl = ttl;
    this.tokens = tokens;
    // Rounded down, so that questions of the same ms have the same terms, which a batch sends only once.
    this.arrived = Math.floor(date) * 1_000;
    this.arrivedMonotonic = Math.floor(monotonic / COARSE) * COARSE * 1_000;
    this.#waiter = waiter;
  }

  get isWaiting(): boolean {
    return this.#waiter !== undefined;
  }

  /** Passes a grant to the waiter. A grant that comes after the waiter left is one more vote for its lock, which the next extension finds. */
  granted(node: string, grant: Grant): void {
    this.#waiter?.granted(node, grant);
  }

  doubted(nodeIndex: number): void {
    this.#waiter?.doubted(nodeIndex);
  }

  stopWaiting(): void {
    this.#waiter = undefined;
  }
}

/** The claim under which a waiter stands in the lines of all nodes, with its place there and the votes for it. */
export class ClaimInLine {
  readonly place: OwnPlace;
  readonly claim: OwnClaim;
  readonly votes: Votes;

  constructor(
    private readonly pool: NodePool,
    private readonly request: AcquireRequest,
    private readonly waiter: Waiter,
  ) {
    const { budget, resources, terms } = request;
    const { arrival } = budget;
    this.place = new OwnPlace(
      { date: pool.dateOf(arrival), monotonic: arrival.monotonic, ttl: terms.ttl, tokens: waiter.tokens },
      waiter,
    );
    this.claim = new OwnClaim(resources, request.value ?? pool.random.value(), this.place);
    this.votes = new Votes(pool.nodes.length);
  }

  /** Counts the answer of a node to a question; a vote lasts as long as `validity`. */
  note(nodeIndex: number, answer: AcquireAnswer, validity: Validity): void {
    if (answer.kind !== 'granted') return this.votes.refuse(nodeIndex, answer.kind);
    const { fence, oldest } = answer;
    this.votes.grant(nodeIndex, { validity, fence, oldest, tokens: this.claim.tokens });
  }

  /** Returns the object that gives these votes away. It calls `yielded` each time a node has answered a yield. */
  transfer(yielded: () => void): VoteTransfer {
    return new VoteTransfer(this.pool, this.claim, { votes: this.votes, ttl: this.request.terms.ttl, yielded });
  }

  /**
   * Returns what stands in line in the next round: this one or, if its claim is in doubt, one with a new value that is in no earlier command.
   * @throws ValueInDoubt if the claim is in doubt and its value cannot change, because other parts of the lock share it
   */
  next(): ClaimInLine {
    if (!this.claim.isDoubtful) return this;
    if (this.request.value !== undefined) throw new ValueInDoubt();
    this.place.stopWaiting();
    // Also serves the line: the new claim may have to wait behind others, but keeps the time of its arrival.
    this.pool.release(this.claim, this.request.terms.ttl);
    return new ClaimInLine(this.pool, this.request, this.waiter);
  }
}
