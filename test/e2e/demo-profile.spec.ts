import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../.ci/free-port.mjs';
import { NO_PROMTOOL } from '../../.ci/set-up/promtool.mjs';
import { eventually } from '../support/eventually.js';
import { promtool } from '../support/operations/promtool.js';
import { HAS_POSTGRES, startPostgres, type Postgres } from '../support/postgres.js';
import { startRedisServers, stopAll } from '../support/redis-server.js';
import { HOST } from '../support/redis-server/ports.js';
import { makeImage, type Image } from './demo-profile/image.js';
import { endPrograms, Program } from './demo-profile/program.js';
import { configure, findPrometheus, Prometheus } from './demo-profile/prometheus.js';

interface Panel {
  readonly targets: readonly { readonly expr: string }[];
}

/** Ms. */
const MAX_TTL = 3_000;
/** What the sample never does, or what happens only with nodes that fail. */
const NOTHING_TO_SHOW = [
  'redlock_leader{',
  'redlock_leader_terms_total{',
  'redlock_reply_thin_total{',
  'error_type!=""',
];

function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync('docs/operate/dashboard.json', 'utf8')) as { panels: Panel[] };
  const written = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  // What Grafana puts in: with a scrape each second the range is 20 s here, so that a busy machine misses none.
  return written.map((expr) => expr.replaceAll('$pool', '.*').replaceAll('$__rate_interval', '20s'));
}

/** A replica as its container starts it: what the image and the compose file set, with addresses of this machine. */
class Replica {
  private constructor(
    readonly url: string,
    readonly metrics: string,
    readonly program: Program,
  ) {}

  static async start(folder: string, nodes: readonly { url: string }[], DATABASE_URL: string): Promise<Replica> {
    const [port, metricsPort] = [await freePort(HOST), await freePort(HOST)];
    const env = {
      NODE_ENV: 'production',
      HOST,
      PORT: `${port}`,
      METRICS_PORT: `${metricsPort}`,
      REDLOCK_NODES: nodes.map(({ url }) => url).join(),
      DATABASE_URL,
      MAX_TTL: `${MAX_TTL}`,
      // Longer than a third of the ttl, so that the lock is extended.
      BONUS_DELAY: '1500',
    };
    const args = ['--enable-source-maps', 'dist/sample-app/main.js'];
    const program = Program.start(process.execPath, args, folder, env);
    return new Replica(`http://${HOST}:${port}`, `${HOST}:${metricsPort}`, program);
  }

  async ready(): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.url}/health/ready`);
    return { status: answer.status, body: await answer.json() };
  }

  async signUp(route: string, email: string): Promise<number> {
    const body = new URLSearchParams({ email, name: 'Ada' });
    return (await fetch(`${this.url}/${route}`, { method: 'POST', body })).status;
  }
}

const program = findPrometheus();
const obstacle = program === undefined ? NO_PROMTOOL : HAS_POSTGRES ? undefined : 'there is no Postgres to start';

if (obstacle === undefined) describe('the demo profile, without containers', tests);
else describe('the demo profile', () => it.skip(`cannot be tried on this machine: ${obstacle}`, () => undefined));

function tests(): void {
  // A Postgres that was given may have users of earlier runs.
  const email = `${randomUUID()}@example.com`;
  let image: Image;
  let postgres: Postgres;
  let replicas: Replica[];
  let prometheus: Prometheus;

  beforeAll(async () => {
    const [nodes, ...started] = await Promise.all([startRedisServers(5), startPostgres(), makeImage()]);
    [postgres, image] = started;
    replicas = await Promise.all([0, 1].map(() => Replica.start(image.folder, nodes, postgres.url)));
    const targets = replicas.map(({ metrics }) => metrics);
    prometheus = await Prometheus.start(program!, targets);
  }, 60_000);
  afterAll(async () => {
    await prometheus.stop();
    await endPrograms();
    await postgres.stop();
    await image.remove();
    await stopAll();
  });

  it('has a configuration that Prometheus can read', async () => {
    const folder = await configure([]);
    const said = await promtool('check', 'config', join(folder, 'prometheus.yml'));
    await rm(folder, { recursive: true });
    expect(said).toContain('12 rules found');
  });

  it('is ready when its new nodes vote, which MAX_TTL decides', async () => {
    await eventually(async () => {
      for (const replica of replicas)
        expect(await replica.ready()).toMatchObject({
          status: 200,
          body: { details: { locks: { status: 'up', votes: 5 } } },
        });
    }, 20_000);
    expect(replicas.map(({ program: { output } }) => output).join('')).toMatch(/No locks for 3 s/);
  }, 30_000);

  it('signs a user up once, on whichever replica', async () => {
    const statuses = await Promise.all([...replicas, ...replicas].map((replica) => replica.signUp('users', email)));
    expect(statuses.sort((one, other) => one - other)).toEqual([201, 409, 409, 409]);
  });

  it('has Prometheus scrape both replicas, and evaluate all alerts', async () => {
    await eventually(async () => {
      const { activeTargets } = await prometheus.get<{ activeTargets: { health: string; scrapeUrl: string }[] }>(
        'targets',
      );
      const scraped = activeTargets.map(({ health, scrapeUrl }) => `${scrapeUrl} ${health}`);
      expect(new Set(scraped)).toEqual(new Set(replicas.map(({ metrics }) => `http://${metrics}/metrics up`)));
      const { groups } = await prometheus.get<{ groups: { rules: { health: string }[] }[] }>('rules');
      expect(groups.flatMap(({ rules }) => rules.map(({ health }) => health))).toEqual(Array(12).fill('ok'));
    });
  });

  it('gives every panel of the dashboard its series', async () => {
    const empty = async (): Promise<string[]> => {
      const queries = dashboardQueries();
      const answers = await Promise.all(queries.map((query) => prometheus.series(query)));
      return queries.filter((_, index) => answers[index]!.length === 0);
    };
    const quiet = (query: string): boolean => NOTHING_TO_SHOW.some((part) => query.includes(part));
    await Promise.all(replicas.map((replica) => replica.signUp('once/users', `once-${email}`)));
    await eventually(async () => expect((await empty()).filter((query) => !quiet(query))).toEqual([]), 20_000);
    expect(dashboardQueries().filter(quiet).length).toBe(NOTHING_TO_SHOW.length);
    expect(await prometheus.series('redlock_quorum_margin{job="sample-app", namespace="demo"}')).toHaveLength(2);
  }, 40_000);

  it('has a proxy that shows its page, and passes everything else on', async () => {
    const port = `${await freePort(HOST)}`;
    const env = { HOST, PORT: port, REPLICAS: replicas.map(({ url }) => url).join() };
    Program.start(process.execPath, ['front.mjs'], resolve('sample-app/live'), env);
    const ask = (path: string): Promise<Response> => fetch(`http://${HOST}:${port}${path}`);
    await eventually(async () => expect((await ask('/')).headers.get('content-type')).toMatch('text/html'));
    const answers = await Promise.all(['/health/ready', `/users?email=${email}`].map(ask));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await answers[1]!.json()).toMatchObject({ users: 1, bonuses: 1 });
  });

  it('tells nobody who signs up, unless LIVE_EVENTS says so', async () => {
    expect((await fetch(`${replicas[0]!.url}/live/events`)).status).toBe(404);
  });

  it('ends at SIGTERM', async () => {
    expect(await Promise.all(replicas.map((replica) => replica.program.end()))).toEqual(['SIGTERM', 'SIGTERM']);
  });
}
