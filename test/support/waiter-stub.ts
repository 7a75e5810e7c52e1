import { Claim, type Grant, type Ticket } from '../../lib/core/claim.js';

/** A waiter for one resource that only keeps in mind what it is told. */
export class WaiterStub implements Ticket {
  readonly isTaken = true;
  readonly arrived: number;
  readonly grace: number;
  readonly claim: Claim;
  /** The grants that it was told of. */
  readonly grants: ({ readonly node: string } & Grant)[] = [];
  readonly #told: (() => void)[] = [];

  constructor(resource: string, place: { readonly arrived: number; readonly grace: number; readonly value: string }) {
    this.arrived = place.arrived;
    this.grace = place.grace;
    this.claim = new Claim([resource], place.value, this);
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
