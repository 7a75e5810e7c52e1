import { Claim, type Grant, type Ticket } from '../../lib/core/port/claim.js';

interface StubPlace extends Pick<Ticket, 'arrived' | 'since' | 'ttl'> {
  readonly value: string;
  readonly tokens?: number;
}

/** A waiter for one resource that only keeps in mind what it is told. */
export class WaiterStub implements Ticket {
  readonly isTaken = true;
  readonly arrived: number;
  readonly since: number | undefined;
  readonly ttl: number;
  readonly claim: Claim;
  /** The grants that it was told of. */
  readonly grants: ({ readonly node: string } & Grant)[] = [];
  readonly #told: (() => void)[] = [];

  constructor(resource: string, place: StubPlace) {
    this.arrived = place.arrived;
    this.since = place.since;
    this.ttl = place.ttl;
    this.claim = new Claim([resource], place.value, this);
    this.claim.tokens = place.tokens ?? 1;
  }

  granted(node: string, grant: Grant): void {
    this.grants.push({ node, ...grant });
    for (const tell of this.#told.splice(0)) tell();
  }

  /** Resolves when it has been told of a grant. */
  async told(): Promise<void> {
    if (this.grants.length === 0) await new Promise<void>((resolve) => this.#told.push(resolve));
  }
}
