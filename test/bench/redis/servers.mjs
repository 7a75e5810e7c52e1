import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../.ci/free-port.mjs';
import { onEnd, started } from '../harness/leaving.mjs';
import { usedCpu } from './ask.mjs';

const HOST = '127.0.0.1';
const COUNT = 5;

/** @typedef {{ port: number, process: import('node:child_process').ChildProcess }} Server */

/** The five nodes of the bench: real processes with everything in memory. */
export class Servers {
  /** @type {Server[]} */
  #servers = [];
  #program = installedProgram();
  #folder = mkdtempSync(join(tmpdir(), 'redlock-bench-'));

  constructor() {
    onEnd(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  get ports() {
    return this.#servers.map((server) => server.port);
  }

  /** The name and version of what runs, for the report. */
  get version() {
    return spawnSync(this.#program, ['--version'], { encoding: 'utf8' }).stdout.split(' sha=')[0]?.trim() ?? '';
  }

  async start() {
    while (this.#servers.length < COUNT) {
      const port = await freePort();
      this.#servers.push({ port, process: await this.#launch(port) });
    }
  }

  /** Ms of processor time that all nodes have used so far. */
  async usedCpu() {
    const each = await Promise.all(this.ports.map((port) => usedCpu(port)));
    return each.reduce((sum, value) => sum + value, 0);
  }

  /** @param {number} index */
  freeze(index) {
    this.#at(index).process.kill('SIGSTOP');
  }

  /** @param {number} index */
  thaw(index) {
    this.#at(index).process.kill('SIGCONT');
  }

  /** @param {number} index */
  async kill(index) {
    const { process: server } = this.#at(index);
    server.kill('SIGKILL');
    await once(server, 'exit');
  }

  /** Starts a killed node again, empty, where it was. @param {number} index */
  async restart(index) {
    const { port } = this.#at(index);
    this.#servers[index] = { port, process: await this.#launch(port) };
  }

  /** @param {number} index @returns {Server} */
  #at(index) {
    const server = this.#servers[index];
    if (server === undefined) throw new RangeError(`there is no node ${index}`);
    return server;
  }

  /** @param {number} port */
  async #launch(port) {
    const args = ['--port', `${port}`, '--bind', HOST, '--dir', this.#folder, '--save', '', '--appendonly', 'no'];
    const server = spawn(this.#program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    started(server);
    await new Promise((resolve, reject) => {
      server.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve(undefined));
      server.once('exit', (code) => reject(new Error(`${this.#program} on port ${port} ended with ${code}`)));
    });
    return server;
  }
}

function installedProgram() {
  const found = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (found === undefined) throw new Error('the bench needs redis-server or valkey-server on the PATH');
  return found;
}
