import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { freePort } from '../../../.ci/free-port.mjs';
import { findProgram } from '../../../.ci/set-up/programs.mjs';
import { findPromtool } from '../../../.ci/set-up/promtool.mjs';
import { eventually } from '../../support/eventually.js';
import { ALERTS } from '../../support/operations/alert-rules.js';
import { keeper } from '../../support/redis-server/keeper.js';
import { HOST } from '../../support/redis-server/ports.js';
import { Program } from './program.js';

const CONFIG = 'sample-app/demo/prometheus.yml';

/** The server of this machine, or the one that came with promtool. */
export function findPrometheus(): string | undefined {
  const fetched = join(dirname(findPromtool() ?? ''), 'prometheus');
  return findProgram(['prometheus']) ?? (existsSync(fetched) ? fetched : undefined);
}

/** The files of the container in a folder of their own, with these targets, and with scrapes each second. */
export async function configure(targets: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'redlock-prometheus-'));
  keeper.add('folder', folder);
  let text = (await readFile(CONFIG, 'utf8')).replaceAll('_interval: 5s', '_interval: 1s');
  for (const [index, target] of targets.entries()) text = text.replace(`app-${index + 1}:9464`, target);
  await writeFile(join(folder, 'prometheus.yml'), text);
  await copyFile(ALERTS, join(folder, 'alerts.yml'));
  return folder;
}

/** A real Prometheus with the configuration of the demo. */
export class Prometheus {
  private constructor(
    private readonly folder: string,
    private readonly url: string,
    private readonly program: Program,
  ) {}

  static async start(file: string, targets: readonly string[]): Promise<Prometheus> {
    const folder = await configure(targets);
    const address = `${HOST}:${await freePort(HOST)}`;
    const args = [`--web.listen-address=${address}`, '--config.file=prometheus.yml', '--storage.tsdb.path=data'];
    const prometheus = new Prometheus(folder, `http://${address}`, Program.start(file, args, folder));
    await eventually(async () => expect((await fetch(`http://${address}/-/ready`)).status).toBe(200), 20_000);
    return prometheus;
  }

  async get<Data>(path: string): Promise<Data> {
    const answer = (await (await fetch(`${this.url}/api/v1/${path}`)).json()) as { data: Data; error?: string };
    if (answer.error !== undefined) throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  }

  /** The labels of the series that the query returns now. */
  async series(query: string): Promise<Readonly<Record<string, string>>[]> {
    const { result } = await this.get<{ result: { metric: Record<string, string> }[] }>(
      `query?query=${encodeURIComponent(query)}`,
    );
    return result.map(({ metric }) => metric);
  }

  async stop(): Promise<void> {
    await this.program.end();
    await rm(this.folder, { recursive: true });
    keeper.remove('folder', this.folder);
  }
}
