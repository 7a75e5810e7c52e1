import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { findProgram } from '../../.ci/set-up/programs.mjs';
import { eventually } from './eventually.js';
import { withRedis } from './redis-client.js';
import { keeper } from './redis-server/keeper.js';
import { HOST, onFreePort, PortTakenError } from './redis-server/ports.js';
import { startRedisServer, stopAll, type RedisServer } from './redis-server.js';

const NAME = 'mymaster';
const SETTINGS = { 'down-after-milliseconds': 500, 'failover-timeout': 2_000 };
/** Ms until the Sentinels know each other, the replica and its state. */
const KNOWN_WITHIN = 20_000;

/** A master, its replica, and the Sentinels that replace the one by the other. */
export class SentinelSet {
  #sentinels: Sentinel[] = [];

  private constructor(
    readonly master: RedisServer,
    readonly replica: RedisServer,
    private readonly count: number,
  ) {}

  static async start(count = 1): Promise<SentinelSet> {
    const master = await startRedisServer({ args: ['--repl-diskless-sync-delay', '0'] });
    const args = ['--replicaof', `${master.host} ${master.port}`, '--repl-diskless-sync-delay', '0'];
    const set = new SentinelSet(master, await startRedisServer({ args }), count);
    await eventually(async () => {
      if (!(await infoOf(set.replica.url)).includes('master_link_status:up'))
        throw new Error('the replica is not linked');
    }, KNOWN_WITHIN);
    await set.startSentinels();
    return set;
  }

  /** What a node is given. */
  get options(): { sentinels: { host: string; port: number }[]; name: string } {
    return { sentinels: this.#sentinels.map(({ port }) => ({ host: HOST, port })), name: NAME };
  }

  /** Starts the Sentinels, on the ports that they had before. */
  async startSentinels(): Promise<void> {
    const ports = this.#sentinels.map(({ port }) => port);
    this.#sentinels = await Promise.all(
      Array.from({ length: this.count }, (_, index) => Sentinel.start(this.master.port, this.count, ports[index])),
    );
    await eventually(async () => {
      for (const { url } of this.#sentinels) await this.#check(url);
    }, KNOWN_WITHIN);
  }

  async stopSentinels(): Promise<void> {
    await Promise.all(this.#sentinels.map((sentinel) => sentinel.stop()));
  }

  /** Asks for a failover while the master is alive: it becomes a replica. */
  async failover(): Promise<void> {
    await withRedis(this.#sentinels[0]!.url, (sentinel) => sentinel.call('SENTINEL', 'FAILOVER', NAME));
  }

  /** The port of the master that the first Sentinel names. */
  masterPort(): Promise<number> {
    return withRedis(this.#sentinels[0]!.url, async (sentinel) => {
      const [, port] = (await sentinel.call('SENTINEL', 'get-master-addr-by-name', NAME)) as [string, string];
      return Number(port);
    });
  }

  async stop(): Promise<void> {
    await this.stopSentinels();
    await stopAll([this.master, this.replica]);
  }

  async #check(url: string): Promise<void> {
    const text = await withRedis(url, (sentinel) => sentinel.info('sentinel'));
    if (!text.includes(`status=ok,address=${HOST}:${this.master.port},slaves=1,sentinels=${this.count}`))
      throw new Error(`the Sentinel does not know all: ${text}`);
  }
}

class Sentinel {
  readonly url: string;

  private constructor(
    readonly port: number,
    private readonly child: ChildProcessByStdio<null, Readable, null>,
    private readonly folder: string,
  ) {
    this.url = `redis://${HOST}:${port}`;
  }

  static start(master: number, count: number, port?: number): Promise<Sentinel> {
    const start = (candidate: number): Promise<Sentinel> => Sentinel.#startOn(candidate, master, count);
    return port === undefined ? onFreePort(start) : start(port);
  }

  static async #startOn(port: number, master: number, count: number): Promise<Sentinel> {
    const program = findProgram(['redis-server', 'valkey-server']);
    if (!program) throw new Error('neither redis-server nor valkey-server is on the PATH');
    const folder = await mkdtemp(join(tmpdir(), 'redlock-sentinel-'));
    keeper.add('folder', folder);
    const settings = Object.entries(SETTINGS).map(([name, value]) => `sentinel ${name} ${NAME} ${value}`);
    const quorum = Math.floor(count / 2) + 1;
    const file = join(folder, 'sentinel.conf');
    const lines = [
      `port ${port}`,
      `bind ${HOST}`,
      `dir ${folder}`,
      `sentinel monitor ${NAME} ${HOST} ${master} ${quorum}`,
    ];
    await writeFile(file, [...lines, ...settings, ''].join('\n'));
    const child = spawn(program, [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'ignore'] });
    keeper.add('pid', child.pid!);
    child.once('exit', () => keeper.remove('pid', child.pid!));
    await untilMonitoring(child, port);
    return new Sentinel(port, child, folder);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
    keeper.remove('folder', this.folder);
  }
}

async function untilMonitoring(child: ChildProcessByStdio<null, Readable, null>, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes('+monitor master')) resolve();
    });
    child.once('error', reject);
    child.once('close', () => reject(new PortTakenError(port)));
  });
}

function infoOf(url: string): Promise<string> {
  return withRedis(url, (redis) => redis.info('replication'));
}
