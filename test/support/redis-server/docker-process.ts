import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { keeper } from './keeper.js';
import { untilAnswering } from './ping.js';
import { HOST, PortTakenError } from './ports.js';
import { serverArguments, type RedisProcess, type RedisServerOptions } from './redis-process.js';

const COMPOSE_FILE = fileURLToPath(new URL('../../../docker-compose.yml', import.meta.url));
const SERVICE = 'test-node';
const INNER_PORT = 6379;

/** A container of the compose file's image, for machines that have a Docker engine but no redis-server. */
export class DockerProcess implements RedisProcess {
  readonly pid = undefined;
  #container: string | undefined;

  constructor(private readonly options: RedisServerOptions) {}

  async start(port: number): Promise<void> {
    const container = `redlock-test-${randomBytes(6).toString('hex')}`;
    keeper.add('container', container);
    try {
      await docker([...this.#placement(container, port), ...this.#command()]);
    } catch (error) {
      keeper.remove('container', container);
      throw isPortTaken(error) ? new PortTakenError(port) : error;
    }
    this.#container = container;
    await untilAnswering(port, { tls: this.options.tls !== undefined });
  }

  async freeze(): Promise<void> {
    await this.#docker('pause');
  }

  async thaw(): Promise<void> {
    await this.#docker('unpause');
  }

  async kill(): Promise<void> {
    const container = this.#container;
    if (!container) return;
    this.#container = undefined;
    // One command for a container in any state; it kills at once.
    await docker(['rm', '--force', '--volumes', container]);
    keeper.remove('container', container);
  }

  async remove(): Promise<void> {
    await this.kill();
  }

  #placement(container: string, port: number): string[] {
    const { tls } = this.options;
    const files = tls ? ['--volume', `${dirname(tls.certFile)}:${dirname(tls.certFile)}:ro`] : [];
    const place = ['--name', container, '--publish', `${HOST}:${port}:${INNER_PORT}`, ...files];
    return ['compose', '--file', COMPOSE_FILE, 'run', '--detach', '--rm', '--no-deps', ...place, SERVICE];
  }

  #command(): string[] {
    return ['redis-server', ...serverArguments(INNER_PORT, this.options)];
  }

  async #docker(verb: string): Promise<void> {
    if (!this.#container) throw new Error('the node does not run');
    await docker([verb, this.#container]);
  }
}

async function docker(args: string[]): Promise<void> {
  await promisify(execFile)('docker', args, { env: process.env });
}

function isPortTaken(error: unknown): boolean {
  return /port is already allocated|address already in use/i.test(String(error));
}
