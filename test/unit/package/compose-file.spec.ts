import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';

interface Service {
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly networks?: unknown;
  readonly profiles?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly depends_on?: Record<string, unknown>;
}

interface ComposeFile {
  readonly services: Record<string, Service>;
  readonly networks?: unknown;
}

const TEXT = readFileSync('docker-compose.yml', 'utf8');
const NODES = ['redis-1', 'redis-2', 'redis-3', 'redis-4', 'redis-5'];

function parse(text: string): ComposeFile {
  // Without types of its own.
  const { load } = createRequire(import.meta.url)('js-yaml') as { load(yaml: string): unknown };
  return load(text) as ComposeFile;
}

/** The application that the comment at the top adds. */
function commentedApplication(): Service {
  const lines = TEXT.split('\n').filter((line) => line.startsWith('#'));
  const from = lines.indexOf('# services:');
  return parse(
    lines
      .slice(from)
      .map((line) => line.slice(2))
      .join('\n'),
  ).services['app']!;
}

describe('the compose file', () => {
  const { services, networks } = parse(TEXT);
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
