import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';

interface Service {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string };
  readonly hostname?: string;
  readonly volumes?: readonly string[];
  readonly healthcheck?: unknown;
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly networks?: unknown;
  readonly profiles?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly depends_on?: Record<string, { readonly condition: string }>;
}

interface ComposeFile {
  readonly services: Record<string, Service>;
  readonly networks?: unknown;
}

const TEXT = readFileSync('docker-compose.yml', 'utf8');
const NODES = ['redis-1', 'redis-2', 'redis-3', 'redis-4', 'redis-5'];

interface PrometheusConfig {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly { readonly static_configs: readonly { readonly targets: readonly string[] }[] }[];
}

function parse(text: string): unknown {
  // Without types of its own.
  const { load } = createRequire(import.meta.url)('js-yaml') as { load(yaml: string): unknown };
  return load(text);
}

/** What is mounted: the path here, and the path in the container. */
function mountsOf({ volumes = [] }: Service): { from: string; to: string; mode: string | undefined }[] {
  return volumes.map((volume) => {
    const [from = '', to = '', mode] = volume.split(':');
    return { from, to, mode };
  });
}

/** The application that the comment at the top adds. */
function commentedApplication(): Service {
  const lines = TEXT.split('\n').filter((line) => line.startsWith('#'));
  const from = lines.indexOf('# services:');
  const { services } = parse(
    lines
      .slice(from)
      .map((line) => line.slice(2))
      .join('\n'),
  ) as ComposeFile;
  return services['app']!;
}

describe('the compose file', () => {
  const { services, networks } = parse(TEXT) as ComposeFile;
  const started = Object.entries(services).filter(([, { profiles }]) => profiles === undefined);

  it('starts five nodes and a database, on the one network on which Compose resolves their names', () => {
    expect(started.map(([name]) => name)).toEqual([...NODES, 'postgres']);
    // Without a word about networks all services share the project's default network; on Docker's bridge no name resolves.
    for (const [, service] of started) expect(service).not.toHaveProperty('network_mode');
    for (const [, service] of started) expect(service).not.toHaveProperty('networks');
    expect(networks).toBeUndefined();
  });

  it('publishes the nodes to this machine only, on the ports that the README names', () => {
    expect(NODES.map((name) => services[name]!.ports)).toEqual(
      NODES.map((_, index) => [`127.0.0.1:\${REDIS_${index + 1}_PORT:-${7001 + index}}:6379`]),
    );
  });

  it('shows an application that reaches all nodes by their names and inner ports', () => {
    const { environment, depends_on: awaited, ...rest } = commentedApplication();
    const urls = environment!['REDLOCK_NODES']!.split(',').map((url) => new URL(url));
    expect(urls.map(({ protocol, hostname, port }) => [protocol, hostname, port])).toEqual(
      NODES.map((name) => ['redis:', name, '6379']),
    );
    expect(Object.keys(awaited!)).toEqual(NODES);
    expect(rest).toEqual({ build: '.' });
  });

  it('has the node that tests run one by one, which needs no network of the project', () => {
    expect(services['test-node']).toMatchObject({ network_mode: 'bridge', profiles: ['tests'] });
  });
});

describe('the demo profile of the compose file', () => {
  const { services } = parse(TEXT) as ComposeFile;
  const all = Object.entries(services);
  const demo = Object.fromEntries(all.filter(([, { profiles }]) => profiles?.includes('demo')));
  const environmentOf = (name: string): Record<string, string> => demo[name]!.environment!;

  it('adds two replicas, the proxy, Prometheus and Grafana', () => {
    expect(Object.keys(demo)).toEqual(['app-1', 'app-2', 'proxy', 'prometheus', 'grafana']);
  });

  it('pins every image', () => {
    for (const [name, { image, build }] of all)
      expect([name, build?.dockerfile ?? image]).toEqual([
        name,
        expect.stringMatching(/^(sample-app\/Dockerfile|[\w/-]+:v?\d[\w.-]*)$/),
      ]);
  });

  it('publishes ports to this machine only, each by a variable with a default of its own', () => {
    const published = all.flatMap(([, { ports = [] }]) => ports);
    const defaults = published.map((port) => /^127\.0\.0\.1:\$\{[A-Z\d_]+_PORT:-(\d+)\}:\d+$/.exec(port)?.[1] ?? port);
    expect(defaults).toEqual(['7001', '7002', '7003', '7004', '7005', '5433', '3000', '9090', '3001']);
  });

  it('mounts files that are there, for reading only', () => {
    const mounts = all.flatMap(([, service]) => mountsOf(service));
    expect(mounts.length).toBeGreaterThan(5);
    for (const { from, mode } of mounts) expect([from, mode, existsSync(from)]).toEqual([from, 'ro', true]);
  });

  it('starts what depends on others when they are healthy', () => {
    for (const [name, { depends_on: awaited = {} }] of all) {
      for (const [other, { condition }] of Object.entries(awaited)) {
        const { healthcheck, build } = services[other]!;
        const checked = healthcheck !== undefined || /^HEALTHCHECK/m.test(readFileSync(build!.dockerfile, 'utf8'));
        expect([name, other, condition, checked]).toEqual([name, other, 'service_healthy', true]);
      }
    }
    expect(Object.keys(demo['app-1']!.depends_on!)).toEqual([...NODES, 'postgres']);
    expect(Object.keys(demo['proxy']!.depends_on!)).toEqual(['app-1', 'app-2']);
  });

  it('has replicas that differ in their name only', () => {
    const [{ hostname: first, ...one }, { hostname: second, ...other }] = [demo['app-1']!, demo['app-2']!];
    expect([first, second, one]).toEqual(['app-1', 'app-2', other]);
    const { REDLOCK_NODES: nodes, DATABASE_URL: database } = environmentOf('app-1');
    expect(nodes).toBe(NODES.map((name) => `redis://${name}:6379`).join());
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: name } = services['postgres']!.environment!;
    expect(database).toBe(`postgres://${user}:${password}@postgres:5432/${name}`);
    expect(environmentOf('app-1')['LIVE_EVENTS']).toBe('true');
    expect(environmentOf('proxy')).toMatchObject({
      REPLICAS: 'http://app-1:3000,http://app-2:3000',
      MAX_TTL: environmentOf('app-1')['MAX_TTL'],
    });
  });

  it('has Prometheus scrape the replicas, with the alerts beside its configuration', () => {
    const mounts = mountsOf(demo['prometheus']!);
    const config = mounts.find(({ to }) => to === '/etc/prometheus/prometheus.yml')!;
    const { scrape_configs: jobs, rule_files: rules } = parse(readFileSync(config.from, 'utf8')) as PrometheusConfig;
    const port = environmentOf('app-1')['METRICS_PORT'];
    expect(jobs[0]!.static_configs[0]!.targets).toEqual([`app-1:${port}`, `app-2:${port}`]);
    expect(rules.map((file) => mounts.find(({ to }) => to === `/etc/prometheus/${file}`)?.from)).toEqual([
      './docs/operate/alerts.yml',
    ]);
  });

  it('has Grafana show the dashboard first, from this Prometheus', () => {
    const mounts = mountsOf(demo['grafana']!);
    const provisioned = (kind: string): unknown => {
      const { from } = mounts.find(({ to }) => to.startsWith(`/etc/grafana/provisioning/${kind}/`))!;
      return parse(readFileSync(from, 'utf8'));
    };
    const home = environmentOf('grafana')['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']!;
    expect(mounts.find(({ to }) => to === home)?.from).toBe('./docs/operate/dashboard.json');
    const { providers } = provisioned('dashboards') as { providers: { options: { path: string } }[] };
    expect(home.startsWith(`${providers[0]!.options.path}/`)).toBe(true);
    const { datasources } = provisioned('datasources') as { datasources: unknown[] };
    expect(datasources[0]).toMatchObject({ url: 'http://prometheus:9090', isDefault: true });
  });
});
