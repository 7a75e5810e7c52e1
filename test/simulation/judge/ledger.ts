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

/** The process that has it. */
export interface Holder {
  readonly name: string;
  readonly isLate: boolean;
  /** Ms on a clock of its own that never stands still. */
  readonly time: number;
  /** Whether its machine is suspended, so that its programs cannot look at any lock. */
  readonly isSuspended: boolean;
  /** Whether it has done already, by what its locks say, what it comes to do only when it is through with computing. */
  readonly isComputing: boolean;
}

interface Hold {
  readonly holder: Holder;
  readonly lock: HeldLock;
  /** Fetched once: asking the lock for it makes the lock look at the clock. */
  readonly signal: AbortSignal;
  /** What it had when it was taken. */
  readonly token: number;
  wasValid: boolean;
  /** Ms that were left when it was looked at last, and when that was. */
  left: number;
  lookedAt: number;
  /** Whether its holder may have wanted a shorter lease than it had. */
  isExtended: boolean;
  /** The lock that had the same resource later. */
  successor?: HeldLock;
}

/** Knows every lock that a process believes to have, and whether that is right. */
export class Ledger {
  holds = 0;
  readonly #open = new Map<HeldLock, Hold>();
  readonly #tokens = new Map<string, number>();
  /** The values of locks whose programs were told of their loss. */
  readonly #lost = new Set<string>();

  constructor(private readonly judge: Judge = 'exclusion') {}

  /** A caller was given a lock; returns what enters it, when the world has come to where its process is. */
  given(holder: Holder, lock: HeldLock): () => void {
    this.holds += 1;
    const { isValid, signal, fencingToken: token, validity: left } = lock;
    if (!isValid || signal.aborted)
      throw new Violation('valid when taken', `${holder.name} was given ${nameOf(lock)}, which is over`);
    if (this.#lost.has(lock.value))
      throw new Violation('lost stays lost', `${holder.name} was given ${nameOf(lock)}, which was lost before`);
    const { time: lookedAt } = holder;
    return () => this.#enter({ holder, lock, signal, token, wasValid: true, left, lookedAt, isExtended: false });
  }

  /** The same, and enters it. */
  began(holder: Holder, lock: HeldLock): void {
    this.given(holder, lock)();
  }

  /** The program of a holder is told of its loss: no other caller may get this lock from it. */
  toldOfLoss(lock: HeldLock): void {
    this.#lost.add(lock.value);
    if (lock.isValid) throw new Violation('lost stays lost', `${nameOf(lock)} was said to be lost, and is valid`);
  }

  /** A holder asks for another lease, which may be a shorter one. */
  extends(lock: HeldLock): void {
    const hold = this.#open.get(lock);
    if (hold) hold.isExtended = true;
  }

  /** A holder is about to compute: takes note of what it has until then. */
  computes(holder: Holder): void {
    for (const hold of this.#open.values()) if (hold.holder === holder && !holder.isComputing) look(hold);
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
    if (this.#open.size === 0) return;
    const valid: Hold[] = [];
    for (const hold of this.#open.values()) {
      if (!isStillValid(hold)) continue;
      if (this.judge === 'exclusion') for (const other of valid) exclude(other, hold);
      valid.push(hold);
    }
  }

  #enter(hold: Hold): void {
    const { lock } = hold;
    for (const other of this.#open.values()) if (sharesWith(other.lock, lock)) this.#succeed(other, lock);
    this.#open.set(lock, hold);
    for (const resource of lock.resources) this.#checkToken(resource, hold);
    this.check();
  }

  /**
   * A process that lost a lock knows before the next one has it, unless its event loop stands still, or nodes forgot
   * the lock.
   */
  #succeed(hold: Hold, next: HeldLock): void {
    hold.successor ??= next;
    if (this.judge !== 'exclusion' || hold.holder.isLate || hold.signal.aborted || hold.lock.isValid) return;
    throw new Violation('told in time', `${describe(hold)} was not told of its loss before ${nameOf(next)} was taken`);
  }

  #checkToken(resource: string, { token, lock }: Hold): void {
    const latest = this.#tokens.get(resource) ?? -Infinity;
    if (this.judge === 'exclusion' && !(token > latest)) {
      throw new Violation('token order', `${lock.value} got ${token} for ${resource} after ${latest}`);
    }
    this.#tokens.set(resource, token);
  }
}

function exclude(one: Hold, other: Hold): void {
  const shared = one.lock.resources.find((resource) => other.lock.resources.includes(resource));
  if (shared === undefined) return;
  throw new Violation('exclusion', `${shared} is held by ${describe(one)} and by ${describe(other)}`);
}

/** Of a holder that computes, what it knew before counts: its lock says already what the computing will have led to. */
function isStillValid(hold: Hold): boolean {
  const { holder } = hold;
  return holder.isComputing ? hold.left > holder.time - hold.lookedAt : look(hold);
}

/** What a program has seen to be over stays over. A suspension that is too short to be noticed takes back what the lock says in between. */
function look(hold: Hold): boolean {
  const { isValid } = hold.lock;
  if (hold.holder.isSuspended) return isValid;
  if (isValid && !hold.wasValid) throw new Violation('validity ends once', `${describe(hold)} is valid again`);
  hold.wasValid = isValid;
  const { validity, fencingToken } = hold.lock;
  if (fencingToken !== hold.token) {
    throw new Violation('token stays', `${describe(hold)} had token ${hold.token} and has ${fencingToken} now`);
  }
  if (validity > hold.left && hold.successor) {
    throw new Violation('continuity', `${describe(hold)} was extended though ${nameOf(hold.successor)} came after it`);
  }
  checkLength(hold, validity);
  hold.left = validity;
  hold.lookedAt = hold.holder.time;
  return isValid;
}

/**
 * Ms: by so much time may seem to have gone on, once and for all, where a clock was set or stood still: 20 ms, as coarse as the uptime is,
 * and 2 ms that are too little to be noticed at first.
 */
const ROUNDING = 22;

/** A lease ends no sooner than its clock says, whatever the wall clock is set to, unless it is lost or given back. */
function checkLength({ holder, left, lookedAt, lock, isExtended }: Hold, validity: number): void {
  const shorter = left - (holder.time - lookedAt) - validity;
  if (validity === 0 || isExtended || shorter <= ROUNDING) return;
  throw new Violation('leases last', `${nameOf(lock)} of ${holder.name} became ${shorter} ms shorter`);
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
