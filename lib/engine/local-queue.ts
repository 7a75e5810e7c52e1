import { type Attempt, Attempts } from './attempt.js';
import { ageOfLease, driftOf, elapsed } from './clock.js';
import { agreeOnToken } from './fencing.js';
import { Lease } from './lease.js';
import type { Answer, HandOff } from './lock-node.js';
import { denialOf, type Denied, freeIn, isClear, outcomesOf } from './denied.js';
import type { Pool } from './pool.js';
import { concerns, Onlookers, POLLS_OF_TTL, type QueuedCaller } from './queued-caller.js';

/** Ms after a win in which more callers of this process may share the lease, if no other process waits. */
const TOGETHER = 5;
/** Ms: a caller of this process may overtake a caller of another process that came earlier by no more than this. */
const AHEAD = 50;
/** Ms to wait for more votes of a deposit, at first. */
const FIRST_PATIENCE = 2;
const MOST_DOUBLINGS = 10;
/** The share of the ttl that must be left of a deposit. With less, it is asked for again. */
const FRESH_DEPOSIT = 0.9;
/** The share of the ttl that must be left of a lease that passes to the next caller. With less, it is extended first. */
const FRESH_PASS = 2 / 3;
/** With less than this share of the ttl left, a lease is extended in the background while it passes to the next caller. */
const EXTEND_BEHIND = 0.95;
/** The share of the ttl that must be left when a caller begins. With less, the lease is extended first. */
const FRESH_START = 0.5;
/** How often a caller that does not wait asks again if rivals have split the votes. */
const MOST_SPLITS = 10;

/**
 * The callers of this process that want one resource: first in, first out. The first caller asks for all callers, under one place in the queues
 * of the nodes. A lost message costs time only, since every waiting process also polls.
 */
export class LocalQueue {
  #state: 'idle' | 'asking' | 'waiting' | 'held' = 'idle';
  #callers = new Set<QueuedCaller>();
  /** Callers that do not wait, and came during the question of another caller. They get the answer to that question. */
  readonly #onlookers = new Onlookers();
  #lease: Lease | undefined;
  /** The caller that gets the lease in a turn of its own; undefined once it has given up. */
  #receiver: QueuedCaller | undefined;
  #count = 0;
  /** How many attempts were denied since the last lease. */
  #denials = 0;
  #noQuorumSince: number | undefined;
  /** The reason of the latest denial that the callers know. */
  #announced: Denied | undefined;
  /** Ms of the latest round trip. */
  #trip = 1;
  #stopPoll: (() => void) | undefined;
  #stopPatience: (() => void) | undefined;
  readonly #attempts: Attempts;

  constructor(
    private readonly pool: Pool,
    readonly resource: string,
    /** What all values of this queue begin with; nobody else's do. */
    base: string,
    /** Called when nobody wants the resource any more. */
    private readonly forget: (queue: LocalQueue) => void,
  ) {
    this.#attempts = new Attempts(pool, resource, base);
  }

  get size(): number {
    return this.#callers.size;
  }

  join(caller: QueuedCaller): void {
    caller.cameAt = this.#count;
    if (caller.isTry && this.#state !== 'idle') return this.#look(caller);
    if (this.#state !== 'idle') this.#attempts.crowd();
    this.#callers.add(caller);
    if (this.#state === 'idle') return this.#ask();
    if (this.#state === 'held') caller.contended();
    else if (this.#state === 'waiting') this.#tell(caller, this.latestDenial);
  }

  /** Tells a new caller what the waiting callers know already. */
  #tell(caller: QueuedCaller, denied: Denied | undefined): void {
    if (denied?.kind === 'contended') caller.contended();
    if (denied === undefined || this.#goesOn(caller, denied)) return;
    this.#callers.delete(caller);
    caller.denied(denied);
  }

  /** Removes a caller that gives up. The other callers keep the place of this process in the queues, but not if the caller `isServed` elsewhere. */
  giveUp(caller: QueuedCaller, isServed = false): void {
    const isAhead = isServed && this.#head === caller;
    this.#onlookers.delete(caller);
    if (this.#receiver === caller) this.#receiver = undefined;
    if (!this.#callers.delete(caller)) return;
    if (this.#state === 'waiting') this.#promoteOnlooker();
    if (this.#callers.size > 0) return void (isAhead && this.#state === 'waiting' && this.#ask());
    if (this.#state === 'asking' && this.#onlookers.size === 0) this.#attempts.abandon();
    else if (this.#state === 'waiting') this.#attempts.leave();
    else return;
    this.#idle();
  }

  /** Why a caller that gives up now has no lock, as far as is known. */
  bestDenialFor({ opens }: QueuedCaller): Denied {
    const known = this.#attempts.latest?.answers.map((one) => (opens || one?.kind !== 'recorded' ? one : undefined));
    return this.latestDenial ?? this.#announced ?? denialOf(this.pool.names, known ?? []);
  }

  /** Why a caller has no lock; undefined if that is not clear yet. */
  get latestDenial(): Denied | undefined {
    return this.#lease?.denial ?? this.#attempts.latest?.denial;
  }

  #look(caller: QueuedCaller): void {
    this.#onlookers.add(caller);
    const denial = this.#state === 'asking' ? undefined : this.latestDenial;
    if (denial !== undefined) this.#onlookers.answer(denial);
  }

  // -------------------------------------------------------------------------------------------------------- an attempt

  #ask(): void {
    this.#stopTimers();
    const { pool } = this;
    const head = this.#head!;
    const attempt = this.#attempts.begin(head, this.#callers.size > 1);
    this.#state = 'asking';
    this.#count += 1;
    pool.ask({
      timeout: pool.timeoutFor(attempt.ttl),
      operation: (date) => this.#attempts.operation(attempt, head.isTry ? undefined : head.arrival, date),
      heard: (node, answer) => this.#heard(attempt, node, answer),
    });
  }

  #heard(attempt: Attempt, node: number, answer: Answer): void {
    attempt.note(node, answer);
    if (attempt.isDenied) {
      this.#returnVotes(attempt);
      if (!attempt.isAnnounced && isClear(attempt.answers)) this.#announceSoon(attempt);
    }
    if (attempt.isDecided) return;
    const { pool } = this;
    if (attempt.votes >= pool.quorum) return this.#agree(attempt);
    if (pool.nodes.length - attempt.refusals < pool.quorum) this.#denied(attempt);
  }

  /** Agrees on the token of an attempt that a quorum voted for. Meanwhile its value is alive. */
  #agree(attempt: Attempt): void {
    attempt.decide();
    agreeOnToken(this.pool, this.resource, attempt, (isAgreed) => {
      if (attempt.isDenied) return; // abandoned, and released
      if (isAgreed) this.#won(attempt);
      else this.#denied(attempt, 'no token');
    });
  }

  #won(attempt: Attempt): void {
    this.#promoteOnlooker();
    const { pool } = this;
    const now = pool.clock.now();
    const lease = new Lease(pool, this.resource, attempt, this.#head?.driftFactor);
    if (lease.remainingAt(now) <= 0) return this.#denied(attempt, 'too slow');
    const date = pool.dateOf(now);
    lease.passUntil =
      attempt.oldest === Infinity ? date + TOGETHER * 1_000 : Math.min(date, attempt.oldest + AHEAD * 1_000);
    this.#trip = elapsed(attempt.since, now);
    this.#denials = 0;
    this.#noQuorumSince = undefined;
    this.#state = 'held';
    this.#lease = lease;
    // Too few votes have opened the record under the token of the attempt.
    if (lease.opened === undefined) this.#attempts.withdrawRecord(attempt);
    for (const caller of this.#callers) if (caller !== this.#head) caller.contended();
    if (this.#onlookers.size > 0) this.#onlookers.answer(lease.denial);
    this.#give(lease);
  }

  #denied(attempt: Attempt, why?: 'no token' | 'too slow'): void {
    attempt.isDecided = attempt.isDenied = true;
    this.#denials += 1;
    this.#promoteOnlooker();
    this.#returnVotes(attempt);
    const head = this.#head;
    if (head === undefined) return this.#leave(attempt);
    if (!head.isTry) this.#wait(attempt);
    if (why !== undefined) this.#announce(attempt, { kind: why, nodes: outcomesOf(this.pool.names, attempt.answers) });
    else if (isClear(attempt.answers)) this.#announceSoon(attempt);
  }

  /** Nodes that are known to be down answer within this turn of the event loop, and an error names each of them. */
  #announceSoon(attempt: Attempt): void {
    attempt.isAnnounced = true;
    this.pool.clock.nextTurn(() => this.#announce(attempt));
  }

  /** Tells the callers why the attempt was denied, once that is clear. Those who do not go on fail. */
  #announce(attempt: Attempt, denied = denialOf(this.pool.names, attempt.answers)): void {
    attempt.isAnnounced = true;
    attempt.denial = denied;
    if (denied.kind !== 'recorded') this.#announced = denied;
    if (denied.kind === 'contended') this.#noQuorumSince = undefined;
    else if (denied.kind !== 'recorded') this.#noQuorumSince ??= this.pool.clock.now().monotonic;
    if (denied.kind === 'contended') for (const caller of this.#callers) caller.contended();
    // A list of its own, since a caller that is told may come again at once.
    for (const caller of Array.from(this.#callers).filter((one) => !this.#goesOn(one, denied))) {
      this.#callers.delete(caller);
      caller.denied(denied);
    }
    this.#onlookers.answer(denied);
    if (this.#lease !== undefined || this.#state === 'idle') return;
    this.#promoteOnlooker();
    if (this.#callers.size === 0 && this.#state === 'waiting') return this.#leave(this.#attempts.latest!);
    if (attempt !== this.#attempts.latest) return;
    if (this.#callers.size === 0) this.#leave(attempt);
    // The answers were for a caller whose work is done. Those that are left want the lock.
    else if (denied.kind === 'recorded') this.#ask();
    // The first caller did not wait, so this process has no place in the queues of the nodes yet.
    else if (this.#state === 'asking') this.#askAgain(attempt);
  }

  #goesOn(caller: QueuedCaller, denied: Denied): boolean {
    if (!concerns(denied, caller)) return true;
    if (caller.isTry) return denied.kind === 'contended' && denied.owner === undefined && this.#denials < MOST_SPLITS;
    return caller.goesOn(denied, this.#count - caller.cameAt, this.#noQuorumSince);
  }

  /** Asks for the first caller: at once, or after a random pause if rivals have split the votes. */
  #askAgain(attempt: Attempt): void {
    if (!this.#head!.isTry) return this.#ask();
    const pause = elapsed(attempt.since, this.pool.clock.now()) * this.pool.random.fraction() * this.#denials;
    this.#stopPoll = this.pool.clock.schedule(pause, () => {
      this.#promoteOnlooker();
      if (this.size > 0) this.#ask();
      else this.#leave(attempt);
    });
  }

  /** If all callers have given up, the first onlooker becomes the first caller. */
  #promoteOnlooker(): void {
    const next = this.#callers.size > 0 ? undefined : this.#onlookers.shift();
    if (next !== undefined) this.#callers.add(next);
  }

  /** A denied attempt has votes, or may have: they go back on the same connections, and no node is asked for its value again. */
  #returnVotes(attempt: Attempt): void {
    if (attempt.isGivenBack || !attempt.mayHaveVotes) return;
    attempt.isGivenBack = true;
    this.#returnValue(attempt.value);
    this.#attempts.withdrawRecord(attempt);
  }

  /** Gives a value back. If this process waits, it takes its place again. */
  #returnValue(value: string): void {
    const head = this.#head;
    const isWaiting = (this.#state === 'waiting' || this.#state === 'asking') && head?.isTry === false;
    if (isWaiting) this.#attempts.releaseAndStand(value, head, this.#callers.size > 1);
    // When idle, this process has left. A place belongs to the process: if a new queue has one now, a second 'leave' would remove it.
    else this.#attempts.release(value, this.#state !== 'idle' && !head && !this.#lease ? 'leave' : 'stay');
  }

  // ------------------------------------------------------------------------------------------------- waiting for the turn

  /** Asks again after a while: that finds releases of others and lost messages, and keeps the deposit fresh. */
  #wait(attempt: Attempt): void {
    const { clock, quorum } = this.pool;
    const head = this.#head!;
    this.#state = 'waiting';
    this.#trip = elapsed(attempt.since, clock.now());
    const free = freeIn(attempt.answers, quorum - attempt.votes);
    this.#stopPoll = clock.schedule(Math.max(1, Math.min(free + 1, head.retryIn())), () => this.#ask());
    this.#followVotes();
  }

  /** A node has voted for the deposit of this process. */
  handedOff(node: number, { value, token, oldest }: HandOff): void {
    if (this.#lease?.value === value || (this.#state === 'asking' && this.#attempts.latest?.value === value)) return;
    const next = this.#attempts.deposit();
    if (next?.value !== value) return this.#returnValue(value);
    if (this.#state === 'held' || this.#callers.size === 0) return this.#attempts.drop(next);
    next.note(node, { kind: 'granted', token, oldest });
    if (this.#state === 'waiting') this.#followVotes();
  }

  /** Takes the deposit once a quorum has voted for it. With too few votes, asks again after a pause that doubles with each denial in a row. */
  #followVotes(): void {
    const next = this.#attempts.votedDeposit;
    if (next === undefined) return;
    const { pool } = this;
    const { clock } = pool;
    const head = this.#head!;
    if (next.votes >= pool.quorum) {
      const left = next.ttl - driftOf(next.ttl, head.driftFactor) - ageOfLease(next.since, clock.now());
      // With little of the ttl left, the queue asks again: an extension would count on votes that may have expired, and gone to another process.
      if (next.ttl !== head.ttl || left < next.ttl * FRESH_DEPOSIT) return this.#ask();
      this.#stopTimers();
      this.#state = 'asking';
      this.#attempts.promote(next);
      return this.#agree(next);
    }
    const patience = Math.max(FIRST_PATIENCE, 2 * this.#trip) * 2 ** Math.min(MOST_DOUBLINGS, this.#denials - 1);
    if (patience < head.ttl / POLLS_OF_TTL) this.#stopPatience ??= clock.schedule(patience, () => this.#ask());
  }

  #stopTimers(): void {
    this.#stopPoll?.();
    this.#stopPatience?.();
    this.#stopPoll = this.#stopPatience = undefined;
  }

  // ------------------------------------------------------------------------------------------------------------- a lease

  /** Gives the lease to the first caller, in a turn of its own: the callers of other resources may block the event loop before. */
  #give(lease: Lease): void {
    const head = this.#head;
    if (head === undefined || !lease.fits(head)) return this.#unused(lease);
    if (lease.opened !== head.opens) lease.withdrawRecord();
    this.#callers.delete(head);
    this.#receiver = head;
    this.pool.clock.nextTurn(() => this.#deliver(lease, head));
  }

  #deliver(lease: Lease, caller: QueuedCaller): void {
    if (this.#receiver !== caller) {
      lease.withdrawRecord();
      return this.released(lease);
    }
    const left = lease.remaining;
    if (left > 0 && left < lease.ttl * FRESH_START && !lease.isSlow)
      return lease.renew(() => {
        // Slow nodes (half of the ttl) must not keep the caller from beginning. After a blocked event loop, the lease is extended again.
        lease.isSlow = lease.remaining < lease.ttl * FRESH_START;
        this.pool.clock.nextTurn(() => this.#deliver(lease, caller));
      });
    this.#receiver = undefined;
    if (left > 0) return caller.granted(lease, Math.max(1, this.#count - caller.cameAt));
    if (caller.isTry) caller.denied({ kind: 'blocked', nodes: [] });
    else this.#callers = new Set([caller, ...this.#callers]);
    this.#unused(lease);
  }

  /** Releases a lease that no caller got. */
  #unused(lease: Lease): void {
    lease.withdrawRecord();
    this.giveBack(lease);
  }

  /** The holder has finished: the lease passes to the next caller, or is released. `done` is called once that is certain. */
  released(lease: Lease, done = (): void => undefined): void {
    if (this.#lease !== lease) return done();
    const next = this.#head;
    const left = next === undefined ? 0 : lease.remaining;
    const mayPass =
      next !== undefined && lease.fits(next) && next.arrival <= lease.passUntil && left > 0 && lease.pass();
    if (!mayPass) return this.giveBack(lease, done);
    done();
    if (left < lease.ttl * FRESH_PASS) {
      return lease.renew((isRenewed) => (isRenewed && lease.remaining > 0 ? this.#give(lease) : this.giveBack(lease)));
    }
    // The extension joins the batch of this turn first, because the next caller may block the event loop.
    if (left < lease.ttl * EXTEND_BEHIND) lease.renew();
    this.#give(lease);
  }

  /** The holder has finished before its `minHold`: the nodes keep the key for so many ms more, under a value that nobody releases. */
  keepForMinHold(lease: Lease, remaining: number, done: () => void): void {
    if (this.#lease !== lease) return done();
    lease.keep(remaining, done);
    this.#lease = undefined;
    if (this.#callers.size > 0) return this.#ask();
    this.#attempts.leave();
    this.#idle();
  }

  /** Gives the lease back, which passes to nobody. If callers wait, the first one asks in the same batch. */
  giveBack(lease: Lease, done = (): void => undefined): void {
    if (this.#lease !== lease) return done();
    this.#lease = undefined;
    const isFollowed = this.#callers.size > 0;
    lease.giveBack(isFollowed ? 'followed' : 'leave', done);
    if (isFollowed) this.#ask();
    else this.#idle();
  }

  get #head(): QueuedCaller | undefined {
    for (const caller of this.#callers) return caller;
    return undefined;
  }

  /** Nobody wants the resource any more, and no attempt was won. Votes that went back left the queues with them, unless there is a deposit. */
  #leave(attempt: Attempt): void {
    if (!attempt.isDone && (!attempt.isGivenBack || this.#attempts.deposit() !== undefined)) this.#attempts.leave();
    this.#idle();
  }

  #idle(): void {
    this.#stopTimers();
    const { votedDeposit } = this.#attempts;
    // Nobody asks under its value any more.
    if (votedDeposit !== undefined) this.#attempts.drop(votedDeposit);
    this.#state = 'idle';
    this.forget(this);
  }
}
