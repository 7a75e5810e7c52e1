import { Contender } from './contender.js';
import type { Moment } from './clock.js';
import { contestError, type Contest, type Victory } from './contention.js';
import type { Lease } from './lease.js';
import { Line } from './line.js';
import { NameTable } from './name-table.js';
import type { NodePool } from './node-pool.js';
import { mayPass } from './passing.js';

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
    const refusal = line.refusal(contest);
    if (refusal) return Promise.reject(contestError(refusal, contest));
    if (line.length >= this.maxWaiters) return Promise.reject(contestError(line.obstacle, contest));
    return line.join(contest, start, () => this.#contender(contest, line).run());
  }

  /** The first in line asks once more, since what it had won was over before it could begin. */
  again(contest: Contest): Promise<Victory> {
    return this.#contender(contest, this.#lines.get(contest.resources[0]!)!).run();
  }

  /** The first in line wants it no more. */
  giveUp(contest: Contest): void {
    this.#lines.get(contest.resources[0]!)?.next();
  }

  /** What the first in line got: all who ask for it wait for this lock from now on. */
  hold(lease: Lease): void {
    for (const resource of lease.resources) {
      const line = this.#lines.get(resource);
      if (line) line.lease = lease;
    }
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

  /** The next one of this process gets what this lock has, if all that it asked for is the same, without asking the nodes. */
  passOn(lease: Lease, won: Victory, now: Moment): boolean {
    const line = this.#lines.get(lease.resources[0]!);
    const next = line?.lease === lease ? line.first?.contest : undefined;
    if (next === undefined || !mayPass(won, next, { now, pool: this.pool })) return false;
    won.claim.passed += 1;
    line!.next(won);
    return true;
  }

  /** The lock is over: the next one's turn. */
  leave(lease: Lease): void {
    for (const resource of lease.resources) {
      const line = this.#lines.get(resource);
      if (line?.lease === lease) line.leave(this.pool.clock);
    }
  }

  #contender(contest: Contest, line: Line): Contender {
    return new Contender(this.pool, contest, line);
  }
}
