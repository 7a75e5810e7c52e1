import { findProgram } from '../../.ci/set-up/programs.mjs';
import { BinaryProcess } from './redis-server/binary-process.js';
import { DockerProcess } from './redis-server/docker-process.js';
import { HOST, onFreePort } from './redis-server/ports.js';
import type { RedisProcess, RedisServerOptions } from './redis-server/redis-process.js';

export type { RedisServerOptions };

const running = new Set<RedisServer>();

/** A real node on a port of its own: empty, in memory only, and gone with this process at the latest. */
export class RedisServer {
  readonly host = HOST;
  readonly url: string;
  #answers = true;

  constructor(
    private readonly process: RedisProcess,
    readonly port: number,
    scheme: 'redis' | 'rediss',
  ) {
    this.url = `${scheme}://${HOST}:${port}`;
  }

  /** False while it is frozen or gone. */
  get answers(): boolean {
    return this.#answers;
  }

  /** Undefined in a container. */
  get pid(): number | undefined {
    return this.process.pid;
  }

  /** It keeps its connections and its memory, and answers nobody until `thaw`. */
  freeze(): Promise<void> {
    this.#answers = false;
    return this.process.freeze();
  }

  async thaw(): Promise<void> {
    await this.process.thaw();
    this.#answers = true;
  }

  /** Ends it at once, as a power cut would. */
  kill(): Promise<void> {
    this.#answers = false;
    return this.process.kill();
  }

  /** Starts it again on its port, with nothing in its memory. */
  async restart(): Promise<void> {
    await this.kill();
    await this.process.start(this.port);
    this.#answers = true;
  }

  /** Ends it for good, whatever its state. */
  async stop(): Promise<void> {
    running.delete(this);
    await this.kill();
    await this.process.remove();
  }
}

export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const process = createProcess(options);
  try {
    const port = await onFreePort(async (candidate) => {
      await process.start(candidate);
      return candidate;
    });
    const server = new RedisServer(process, port, options.tls ? 'rediss' : 'redis');
    running.add(server);
    return server;
  } catch (error) {
    await process.kill();
    await process.remove();
    throw error;
  }
}

/** Several at once; they end together when one of them does not start. */
export async function startRedisServers(count: number, options: RedisServerOptions = {}): Promise<RedisServer[]> {
  const starts = await Promise.allSettled(Array.from({ length: count }, () => startRedisServer(options)));
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failure = starts.find((start) => start.status === 'rejected');
  if (!failure) return servers;
  await stopAll(servers);
  throw failure.reason;
}

/** Stops these, or everything that this test file started and did not stop. */
export async function stopAll(servers: Iterable<RedisServer> = running): Promise<void> {
  await Promise.all([...servers].map((server) => server.stop()));
}

const PROGRAMS = ['redis-server', 'valkey-server'];
const IN_CONTAINER = 'the server of the container';

/** The servers that are installed here, for tests that run on each of them. */
export function serverPrograms(): string[] {
  if (process.env.REDLOCK_TEST_DOCKER === '1') return [IN_CONTAINER];
  return PROGRAMS.filter((program) => findProgram([program]));
}

function createProcess(options: RedisServerOptions): RedisProcess {
  if (process.env.REDLOCK_TEST_DOCKER === '1') return new DockerProcess(options);
  const program = findProgram(options.program === undefined ? PROGRAMS : [options.program]);
  if (!program) throw new Error('neither redis-server nor valkey-server is on the PATH: run the tests by `npm test`');
  return new BinaryProcess(program, options);
}
