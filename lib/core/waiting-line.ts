import { Contender, type ContenderListener } from './contender.js';
import type { Clock, Moment } from './clock.js';
import type { Contest, Victory } from './contention.js';
import type { Lease } from './lease.js';
import { NameTable, type Named } from './name-table.js';
import type { NodePool } from './node-pool.js';
import { errorOf, type Lost } from './outcome.js';
import { mayPass } from './passing.js';
import type { PatienceTerms } from './patience.js';
import { Queue } from './queue.js';
import { Tenure } from './tenure.js';

const HELD = { kind: 'contended' } as const;

/** A caller who waits behind others of this process. */
interface Waiting {
  readonly contest: Contest;
  /** It is his turn: with what was won already, or to contend. */
  begin(won?: Victory): void;
}

/**
 * The callers of this process for one resource, first come first served. Only the first of them asks the nodes, so that a
 * thousand equal requests on one replica are one contender; the others wait behind it, and then behind the lock it got.
 */
class Line implements ContenderListener, Named {
  /** The lock that the first one has. */
  lease: Lease | undefined;
  /** What the first one was told last. */
  #latest: Lost | undefined;
  /** Made when the first one comes in it: most locks are wanted by nobody else. */
  #tenure: Tenure | undefined;
  /** The one before it, which those who ask a moment later still came in. */
  #former: Tenure | undefined;
  #waiters: Queue<Waiting> | undefined;

  constructor(
    readonly name: string,
    private readonly lines: NameTable<Line>,
  ) {
    lines.add(this);
  }

  get length(): number {
    return this.#waiters?.length ?? 0;
  }

  /** Why those who wait do not have it: for less than it costs to tell what stands in their way. */
  get why(): Pick<Lost, 'kind'> {
    return this.#told ?? HELD;
  }

  /** What stands in the way of those who wait. */
  get obstacle(): Lost {
    return this.#told ?? { ...HELD, nodes: [], retryAfter: this.lease?.validity ?? 0, rivals: [] };
  }

  /** What the first one was told, where it is not he who has it. */
  get #told(): Lost | undefined {
    return this.lease === undefined ? this.#latest : undefined;
  }

  /** @see Tenure */
  dateArrival({ patience }: Contest): void {
    if (this.#former?.includes(patience.arrived)) patience.tenure = this.#former;
    else if (this.lease) patience.tenure = this.#tenure ??= new Tenure();
  }

  lost(outcome: Lost): void {
    this.#latest = outcome;
  }

  gaveUp(): void {
    this.next();
  }

  /** Waits behind all who are there already, and then calls `contend`. */
  join(contest: Contest, now: Moment, contend: () => Promise<Victory>): Promise<Victory> {
    const { patience, resources } = contest;
    const waiters = (this.#waiters ??= new Queue());
    return new Promise((resolve, reject) => {
      const leave = (error: Error): void => {
        leaveQueue();
        reject(error);
      };
      const timeout = (): void => leave(errorOf(this.obstacle, resources));
      const stop = patience.watch(patience.leftInLine(now), { timeout, abort: leave }, now);
      const begin = (won?: Victory): void => {
        stop();
        resolve(won ?? contend());
      };
      const leaveQueue = waiters.add({ contest, begin });
    });
  }

  /**
   * The turn of the next waiter: with what was won already, or else he asks before this returns, in the same batch as the release
   * before it.
   */
  next(won?: Victory): void {
    // Nothing stays reachable from here, since V8 may keep what a map has let go of.
    this.lease = undefined;
    const first = this.#waiters?.shift();
    if (first) first.begin(won);
    else this.lines.delete(this);
  }

  /** The lock is over: the next one's turn. */
  leave(clock: Clock): void {
    if (this.length > 0) this.#endTenure(clock.now().wall);
    this.next();
  }

  #endTenure(wall: number): void {
    this.#former = this.#tenure ?? new Tenure();
    this.#former.end(wall);
    this.#tenure = undefined;
  }

  /** Whose turn it is next. */
  get first(): Waiting | undefined {
    return this.#waiters?.first;
  }
}

/** The lines of this process, by resource. */
export class WaitingLines {
  readonly #lines = new NameTable<Line>();

  constructor(
    private readonly pool: NodePool,
    private readonly maxWaiters: number,
  ) {}

  /** Takes a single resource as soon as everybody who came before has had it; its lease counts from `start`, before anything is sent. */
  take(contest: Contest, start: Moment): Promise<Victory> {
    const resource = contest.resources[0]!;
    const line = this.#lines.get(resource);
    if (line === undefined) return this.#contender(contest, new Line(resource, this.#lines)).run(start);
    line.dateArrival(contest);
    contest.onLost(line.why);
    if (line.length >= this.maxWaiters) return Promise.reject(errorOf(line.obstacle, contest.resources));
    return line.join(contest, start, () => this.#contender(contest, line).run());
  }

  /** What the first in line got: whoever asks for it waits for this lock from now on. */
  hold(lease: Lease): void {
    const line = this.#lines.get(lease.resources[0]!);
    if (line) line.lease = lease;
  }

  /** A lock that was got without standing in line; the next one to ask waits for it, unless others do so already. */
  adopt(lease: Lease): void {
    const [resource, ...others] = lease.resources;
    if (others.length > 0 || this.#lines.get(resource!)) return;
    new Line(resource!, this.#lines).lease = lease;
  }

  /** Whether somebody here waits for this lock. */
  follows(lease: Lease): boolean {
    const line = this.#lines.get(lease.resources[0]!);
    return line?.lease === lease && line.length > 0;
  }

  /** The next one of this process gets what this lock has, if all that he asked for is the same, without asking the nodes. */
  passOn(lease: Lease, won: Victory, now: Moment): boolean {
    const line = this.#lines.get(lease.resources[0]!);
    const next = line?.lease === lease ? line.first?.contest : undefined;
    if (next === undefined || !mayPass(won, next, now)) return false;
    won.claim.passed += 1;
    line!.next(won);
    return true;
  }

  /** The lock is over: the next one's turn. */
  leave(lease: Lease): void {
    const line = this.#lines.get(lease.resources[0]!);
    if (line?.lease === lease) line.leave(this.pool.clock);
  }

  #contender(contest: Contest, line: Line): Contender {
    return new Contender(this.pool, contest, line);
  }
}

/** Whoever wants several resources stands in no line: in each of them he would hold up the others. */
export function standsInLine({ resources }: Contest, { waitTimeout, retryCount }: PatienceTerms): boolean {
  return resources.length === 1 && waitTimeout > 0 && retryCount > 0;
}
