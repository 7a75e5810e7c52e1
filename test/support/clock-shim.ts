import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../.ci/set-up/programs.mjs';
import { compileClockShim, setClock } from './clock-shim/library.js';
import { BinaryProcess } from './redis-server/binary-process.js';
import { keeper } from './redis-server/keeper.js';
import { onFreePort } from './redis-server/ports.js';
import { RedisServer } from './redis-server.js';

const COMPILER = findProgram(['cc', 'gcc', 'clang']);
const NODE = findProgram(['redis-server', 'valkey-server']);

/** A clock that the test sets, for any program that is started with `env`; ends with `remove`. */
export class ShimmedClock {
  private constructor(
    readonly env: NodeJS.ProcessEnv,
    private readonly folder: string,
  ) {}

  /** Ahead of that of the machine by so many ms, or behind it. */
  static async make(ahead: number): Promise<ShimmedClock> {
    const folder = await mkdtemp(join(tmpdir(), 'redlock-clock-'));
    keeper.add('folder', folder);
    const env = { LD_PRELOAD: await compiled(folder), CLOCK_SHIM: join(folder, 'ahead') };
    await setClock(join(folder, 'ahead'), ahead);
    return new ShimmedClock(env, folder);
  }

  /** From now on it is ahead of that of the machine by so many ms, or behind it. */
  async set(ahead: number): Promise<void> {
    await setClock(join(this.folder, 'ahead'), ahead);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    keeper.remove('folder', this.folder);
  }
}

/** Why the clock of a node cannot be set on this machine; undefined where it can. */
export function clockShimObstacle(): string | undefined {
  if (process.env.REDLOCK_TEST_DOCKER === '1') return 'nodes run in containers';
  if (process.platform !== 'linux') return 'only Linux preloads libraries in this way';
  if (COMPILER === undefined) return 'there is no C compiler';
  return NODE === undefined ? 'there is no redis-server' : undefined;
}

/** A real node whose wall clock the test sets; ends with `stop`. */
export class ClockedServer {
  #ahead = 0;

  private constructor(
    readonly server: RedisServer,
    private readonly folder: string,
  ) {}

  static async start(): Promise<ClockedServer> {
    const folder = await mkdtemp(join(tmpdir(), 'redlock-clock-'));
    keeper.add('folder', folder);
    const node = new BinaryProcess(await wrapped(folder), {});
    const port = await onFreePort(async (candidate) => {
      await node.start(candidate);
      return candidate;
    });
    return new ClockedServer(new RedisServer(node, port, 'redis'), folder);
  }

  get url(): string {
    return this.server.url;
  }

  /** Sets its clock forward, or back, by so many ms. */
  async step(ms: number): Promise<void> {
    this.#ahead += ms;
    await setClock(join(this.folder, 'ahead'), this.#ahead);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
    keeper.remove('folder', this.folder);
  }
}

/** A program that is redis-server with a clock of its own. */
async function wrapped(folder: string): Promise<string> {
  const [library, program] = [await compiled(folder), join(folder, 'redis-server')];
  const script = `#!/bin/sh\nCLOCK_SHIM='${folder}/ahead' LD_PRELOAD='${library}' exec '${NODE}' "$@"\n`;
  await writeFile(program, script, { mode: 0o700 });
  return program;
}

/** The library that gives a program a clock of its own, and beside it the file that says which. */
async function compiled(folder: string): Promise<string> {
  const library = compileClockShim(folder);
  if (library === undefined) throw new Error('The clock cannot be set: its library does not compile');
  await writeFile(join(folder, 'ahead'), Buffer.alloc(8));
  return library;
}
