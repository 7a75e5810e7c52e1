import { createRequire } from 'node:module';
import { join } from 'node:path';
import { RedisPool } from '../../support/redis-pool.js';
import { finding, type Finding } from '../checks/finding.js';
import type { Row } from '../harness.js';
import { Packages } from '../packages/load.js';
import { complaintsAboutBefore, loadBefore } from './before-code.js';
import { ALL_BEFORE, type Before, type BeforeNodes } from './all-before.js';

/** Ms after which code that waits for a held lock has waited long enough. */
const PATIENCE = 30_000;

type Build = (account: string) => Promise<unknown>;
interface Running {
  readonly build: Build;
  close(): Promise<void>;
}

interface NestContext {
  get(service: unknown): { build: Build };
  close(): Promise<void>;
}

/** Compiles and runs the code before each migration, with the package that the code is about. */
export async function checkBeforeCode(root: string): Promise<Row[]> {
  const pool = await RedisPool.start(3);
  const clients = await new Packages(root).connect(pool.urls);
  try {
    const rows: Row[] = [];
    for (const before of ALL_BEFORE) {
      const findings = await checkOne(before, { pool, root, nodes: { urls: pool.urls, clients } });
      rows.push({ name: before.library, findings });
    }
    return rows;
  } finally {
    for (const client of clients) client.disconnect();
    await pool.stop();
  }
}

interface Around {
  readonly pool: RedisPool;
  readonly root: string;
  readonly nodes: BeforeNodes;
}

async function checkOne(before: Before, around: Around): Promise<Record<string, Finding>> {
  const complaints = complaintsAboutBefore(before);
  const compiles = finding(complaints.length === 0, complaints.length === 0 ? 'yes' : `NO: ${complaints.join('; ')}`);
  try {
    const running = await start(before, around);
    try {
      const runs = finding(true, `yes: ${String(await running.build('free'))}`.replace(': undefined', ''));
      return { compiles, runs, 'keeps out of a held lock': await keepsOut(before, running, around) };
    } finally {
      await running.close();
    }
  } catch (error) {
    return { compiles, runs: finding(false, `NO: ${(error as Error).message}`) };
  }
}

/** Makes another client hold the lock of an account on all nodes: the code must not pass. */
async function keepsOut({ key }: Before, running: Running, { pool }: Around): Promise<Finding> {
  await Promise.all(pool.servers.map((_, server) => pool.plant(server, key, { ttl: 10 * PATIENCE })));
  const late = new Promise<string>((resolve) => setTimeout(resolve, PATIENCE, 'waits').unref());
  const outcome = await Promise.race([
    late,
    running.build('held').then(
      () => 'NO: it runs beside the holder',
      (error: Error) => `yes: ${error.name}`,
    ),
  ]);
  return finding(!outcome.startsWith('NO'), outcome);
}

async function start(before: Before, { root, nodes }: Around): Promise<Running> {
  const { build, ReportsService } = loadBefore(before, root);
  if (build !== undefined) return { build: (account) => build(nodes.clients, account), close: async () => undefined };
  const require = createRequire(join(root, before.home, 'package.json'));
  const { NestFactory } = require('@nestjs/core') as {
    NestFactory: { createApplicationContext(module: unknown, options: object): Promise<NestContext> };
  };
  class AppModule {}
  const module = { module: AppModule, imports: [before.nestModule!(require, nodes)], providers: [ReportsService] };
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  return { build: (account) => app.get(ReportsService).build(account), close: () => app.close() };
}
