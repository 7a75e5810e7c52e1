import type { Grant, Place } from '../../lib/core/port/claim.js';
import { OwnClaim } from '../../lib/core/quorum/own-claim.js';

interface StubPlace extends Pick<Place, 'arrived' | 'arrivedMonotonic' | 'ttl'> {
  readonly value: string;
  readonly tokens?: number;
}

/** A waiter for one resource that only keeps in mind what it is told. */
export class WaiterStub implements Place {
  isWaiting = true;
  readonly arrived: number;
  readonly arrivedMonotonic: number | undefined;
  readonly ttl: number;
  readonly tokens: number;
  readonly claim: OwnClaim;
  /** The grants that it was told of. */
  readonly grants: ({ readonly node: string } & Grant)[] = [];
  /** The indexes of the nodes whose votes do not count any more. */
  readonly doubts: number[] = [];
  readonly #told: (() => void)[] = [];

  constructor(resource: string, place: StubPlace) {
    this.arrived = place.arrived;
    this.arrivedMonotonic = place.arrivedMonotonic;
    this.ttl = place.ttl;
    this.tokens = place.tokens ?? 1;
    this.claim = new OwnClaim([resource], place.value, this);
  }

  granted(node: string, grant: Grant): void {
    this.grants.push({ node, ...grant });
    for (const tell of this.#told.splice(0)) tell();
  }

  doubted(nodeIndex: number): void {
    this.doubts.push(nodeIndex);
  }

  /** Resolves when it has been told of a grant. */
  async told(): Promise<void> {
    if (this.grants.length === 0) await new Promise<void>((resolve) => this.#told.push(resolve));
  }
}
