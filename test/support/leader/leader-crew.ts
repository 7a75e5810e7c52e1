import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { CompiledLib } from '../compiled-lib.js';
import { RedisPool } from '../redis-pool.js';
import { startRedisServers, type RedisServer } from '../redis-server.js';
import { Journal, type Note, type Stretch } from './journal.js';
import { LeaderProcess } from './leader-process.js';

/** Ms. */
const NODE_TIMEOUT = 300;

/** Processes that campaign on the same nodes. */
export class LeaderCrew {
  readonly journal = new Journal();
  readonly servers: RedisServer[] = [];
  readonly pool = new RedisPool(this.servers);
  readonly #members: LeaderProcess[] = [];
  #roles = 0;
  #lib: CompiledLib | undefined;

  async prepare(size: number): Promise<void> {
    const [started, lib] = await Promise.all([startRedisServers(size), CompiledLib.make({ whole: true })]);
    this.servers.push(...started);
    this.#lib = lib;
  }

  /** A role that no other test of this crew uses. */
  role(): string {
    this.#roles += 1;
    return `role-${this.#roles}`;
  }

  /** So many more processes; resolves when they can be used. */
  async start(count: number): Promise<LeaderProcess[]> {
    const settings = { nodes: this.pool.urls, nodeTimeout: NODE_TIMEOUT, journal: this.journal };
    const opening: Promise<void>[] = [];
    const from = this.#members.length;
    // One after the other: they share a file that each of them writes and reads.
    for (let index = 0; index < count; index += 1) {
      const { started, opened } = await LeaderProcess.start(this.#lib!, this.#members.length, settings);
      this.#members.push(started);
      opening.push(opened);
    }
    await Promise.all(opening);
    return this.#members.slice(from);
  }

  memberOf({ by }: Note): LeaderProcess {
    return this.#members[by]!;
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.kill()));
  }

  async end(): Promise<void> {
    await this.killAll();
    await this.#lib?.remove();
    await this.pool.stop();
  }
}

/** A crew on so many nodes for all tests of a block; its processes end with the test that has started them. */
export function leaderCrew(size: number): LeaderCrew {
  const crew = new LeaderCrew();
  beforeAll(() => crew.prepare(size));
  afterEach(() => crew.killAll());
  afterAll(() => crew.end());
  return crew;
}

/** For how long each of these has led the role, in one list. */
export async function stretchesOf(members: readonly LeaderProcess[], role: string): Promise<Stretch[]> {
  return (await Promise.all(members.map((member) => member.stretches(role)))).flat();
}
