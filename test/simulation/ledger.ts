import { Violation } from './violation.js';

/** What the ledger looks at of a lock. */
export interface HeldLock {
  readonly resources: readonly string[];
  readonly value: string;
  readonly fencingToken: number;
  readonly isValid: boolean;
  /** Ms. */
  readonly validity: number;
  readonly signal: AbortSignal;
}

/**
 * What may not be. Where nodes forget without being kept out of the vote, two may come to hold the same thing; but then the
 * first one must not be able to extend what the other one had meanwhile.
 */
export type Judge = 'exclusion' | 'continuity';

/** Who has it. */
export interface Holder {
  readonly name: string;
  readonly isLate: boolean;
}

interface Hold {
  readonly holder: Holder;
  readonly lock: HeldLock;
  /** Fetched once: asking the lock for it makes the lock look at the clock. */
  readonly signal: AbortSignal;
  /** What it had when it was taken. */
  readonly token: number;
  wasValid: boolean;
  /** Ms that were left when it was looked at last. */
  left: number;
  /** Who had the same resource later. */
  successor?: HeldLock;
}

/** Knows every lock that somebody believes to have, and whether that is right. */
export class Ledger {
  holds = 0;
  readonly #open = new Map<HeldLock, Hold>();
  readonly #tokens = new Map<string, number>();

  constructor(private readonly judge: Judge = 'exclusion') {}

  /** A caller was given a lock. */
  began(holder: Holder, lock: HeldLock): void {
    this.holds += 1;
    if (!lock.isValid)
      throw new Violation('valid when taken', `${holder.name} was given ${nameOf(lock)}, which is over`);
    for (const other of this.#open.values()) if (sharesWith(other.lock, lock)) this.#succeed(other, lock);
    const { signal, fencingToken: token, validity: left } = lock;
    this.#open.set(lock, { holder, lock, signal, token, wasValid: true, left });
    for (const resource of lock.resources) this.#checkToken(resource, lock);
    this.check();
  }

  /** A holder lets go, or is gone. */
  ended(lock: HeldLock): void {
    this.#open.delete(lock);
  }

  /** Everything that `holder` had. */
  endedAllOf(holder: Holder): void {
    for (const hold of this.#open.values()) if (hold.holder === holder) this.#open.delete(hold.lock);
  }

  /** No two locks that share a resource are valid at the same time. */
  check(): void {
    const valid: Hold[] = [];
    for (const hold of this.#open.values()) {
      if (!isStillValid(hold)) continue;
      if (this.judge === 'exclusion') for (const other of valid) exclude(other, hold);
      valid.push(hold);
    }
  }

  /** Whoever lost a lock knows before the next one has it, unless his event loop stands still, or nodes forgot it. */
  #succeed(hold: Hold, next: HeldLock): void {
    hold.successor ??= next;
    if (this.judge !== 'exclusion' || hold.holder.isLate || hold.signal.aborted || hold.lock.isValid) return;
    throw new Violation('told in time', `${describe(hold)} was not told of its loss before ${nameOf(next)} was taken`);
  }

  #checkToken(resource: string, { fencingToken, value }: HeldLock): void {
    const latest = this.#tokens.get(resource) ?? -Infinity;
    if (this.judge === 'exclusion' && !(fencingToken > latest)) {
      throw new Violation('token order', `${value} got ${fencingToken} for ${resource} after ${latest}`);
    }
    this.#tokens.set(resource, fencingToken);
  }
}

function exclude(one: Hold, other: Hold): void {
  const shared = one.lock.resources.find((resource) => other.lock.resources.includes(resource));
  if (shared === undefined) return;
  throw new Violation('exclusion', `${shared} is held by ${describe(one)} and by ${describe(other)}`);
}

/** What is over stays over. */
function isStillValid(hold: Hold): boolean {
  const { isValid } = hold.lock;
  if (isValid && !hold.wasValid) throw new Violation('validity ends once', `${describe(hold)} is valid again`);
  hold.wasValid = isValid;
  const { validity, fencingToken } = hold.lock;
  if (fencingToken !== hold.token) {
    throw new Violation('token stays', `${describe(hold)} had token ${hold.token} and has ${fencingToken} now`);
  }
  if (validity > hold.left && hold.successor) {
    throw new Violation('continuity', `${describe(hold)} was extended though ${nameOf(hold.successor)} came after it`);
  }
  hold.left = validity;
  return isValid;
}

function sharesWith(a: HeldLock, b: HeldLock): boolean {
  return a.resources.some((resource) => b.resources.includes(resource));
}

function nameOf({ value, resources }: HeldLock): string {
  return `${value} on ${resources.join('+')}`;
}

function describe({ holder, lock }: Hold): string {
  return `${lock.value} of ${holder.name}`;
}
