import type { Claim } from '../core/port/claim.js';
import { Tidying } from '../core/collections/tidying.js';

export interface LineTerms {
  /** Returns whether a waiting claim would hear of a grant; Redis knows if its process is gone. @default all claims would */
  readonly listens?: (waiting: Claim) => boolean;
}

/** The claims that wait for one resource on a node in memory, by the time of their arrival. */
export class MemoryLine {
  #claims: Claim[] = [];

  get claims(): readonly Claim[] {
    return [...this.#claims];
  }

  get values(): string[] {
    return this.#claims.map(({ value }) => value);
  }

  /** Puts the claim where it belongs by its arrival, unless it is in the line already. */
  enter(claim: Claim): void {
    if (this.values.includes(claim.value)) return;
    this.#claims.push(claim);
    this.#claims.sort((a, b) => (isOlder(a, b) ? -1 : 1));
  }

  /** Removes the claim, if it has a place. The claim of several resources has none, and must not remove a part with the same value. */
  leave({ value, place }: Claim): void {
    if (place) this.#claims = this.#claims.filter((claim) => claim.value !== value);
  }

  shift(): Claim | undefined {
    return this.#claims.shift();
  }

  hasOlder(claim: Claim): boolean {
    const [first] = this.#claims;
    return first !== undefined && isOlder(first, claim);
  }
}

/** Returns whether `a` is ahead of `b`. In the same microsecond, ttl and value decide, as on a Redis node, so that all nodes agree. */
function isOlder(a: Claim, b: Claim): boolean {
  const earlier = a.place!.arrived - b.place!.arrived;
  return earlier === 0 ? memberOf(a) < memberOf(b) : earlier < 0;
}

function memberOf({ place, value }: Claim): string {
  return `${place!.ttl} ${value}`;
}

/** The lines of a node in memory, by resource. */
export class MemoryLines {
  readonly #lines = new Map<string, MemoryLine>();
  readonly #tidying = new Tidying();

  get(resource: string): MemoryLine | undefined {
    return this.#lines.get(resource);
  }

  /** Returns when the oldest waiter came, or Infinity for none. As on a Redis node, the answer for several resources is 0: not known. */
  oldest([resource = '', ...others]: readonly string[]): number {
    return others.length > 0 ? 0 : (this.get(resource)?.claims[0]?.place?.arrived ?? Infinity);
  }

  /** Returns the line of a resource; creates it if there is none. */
  of(resource: string): MemoryLine {
    this.#tidying.check(this.#lines, () => this.#forgetEmpty());
    const line = this.#lines.get(resource) ?? new MemoryLine();
    this.#lines.set(resource, line);
    return line;
  }

  #forgetEmpty(): void {
    for (const [resource, line] of this.#lines) if (line.claims.length === 0) this.#lines.delete(resource);
  }

  snapshot(): ReadonlyMap<string, readonly Claim[]> {
    return new Map([...this.#lines].map(([resource, line]) => [resource, line.claims]));
  }

  restore(lines: ReadonlyMap<string, readonly Claim[]>): void {
    this.#lines.clear();
    for (const [resource, claims] of lines) for (const claim of claims) this.of(resource).enter(claim);
  }
}
