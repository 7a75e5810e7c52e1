import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { findProgram } from '../../../.ci/set-up/programs.mjs';
import { withRedis } from '../../support/redis-client.js';
import { BinaryProcess } from '../../support/redis-server/binary-process.js';
import { onFreePort } from '../../support/redis-server/ports.js';
import { RedisServer } from '../../support/redis-server.js';
import { setClock } from '../../support/clock-shim/library.js';

export interface Workshop {
  readonly folder: string;
  /** Where clocks can be moved. */
  readonly shim: string | undefined;
}

/** A Redis node with a folder and a wall clock of its own. */
export class ChaosNode {
  private constructor(
    readonly name: string,
    readonly server: RedisServer,
    private readonly folder: string,
  ) {}

  static async start(name: string, { folder, shim }: Workshop): Promise<ChaosNode> {
    const own = join(folder, name.replaceAll(' ', '-'));
    await mkdir(own);
    const process = new BinaryProcess(await wrapped(own, shim), {});
    const server = await onFreePort(async (port) => {
      await process.start(port);
      return new RedisServer(process, port, 'redis');
    });
    return new ChaosNode(name, server, own);
  }

  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    return withRedis(this.server.url, question);
  }

  /** Writes down what it has now; it comes back with that after the next `restart({ old: true })`. */
  async save(): Promise<void> {
    await this.ask((redis) => redis.save());
  }

  async restart({ old = false } = {}): Promise<void> {
    await this.server.kill();
    if (!old) await this.#forget();
    await this.server.restart();
    // What comes back once must not come back after a later, ordinary restart.
    await this.#forget();
  }

  /** Puts its wall clock ahead of the machine's by so many ms, or behind. */
  setClock(ms: number): Promise<void> {
    return setClock(clockOf(this.folder), ms);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  async #forget(): Promise<void> {
    await rm(join(this.folder, 'dump.rdb'), { force: true });
  }
}

function clockOf(folder: string): string {
  return join(folder, 'clock');
}

/** The program as a script, since it gets its own environment and folder. */
async function wrapped(folder: string, shim: string | undefined): Promise<string> {
  const program = findProgram(['redis-server', 'valkey-server']);
  if (!program) throw new Error('chaos needs redis-server or valkey-server on the PATH');
  await writeFile(clockOf(folder), Buffer.alloc(8));
  const clock = shim === undefined ? '' : `env CLOCK_SHIM='${clockOf(folder)}' LD_PRELOAD='${shim}' `;
  const script = join(folder, 'start.sh');
  // The last --dir counts.
  await writeFile(script, `#!/bin/sh\nexec ${clock}'${program}' "$@" --dir '${folder}'\n`, { mode: 0o755 });
  return script;
}
