import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { started } from '../harness/leaving.mjs';

/** @typedef {{ route: string, key: string, body: Record<string, unknown>, user?: string }} Request */
/** @typedef {{ status: number, replayed: boolean, text: string }} Reply status 0: no answer */

const READY_WITHIN_MS = 45_000;
let runs = 0;

/** Two replicas of one candidate's application, each a process. */
export class Replicas {
  /** @type {{ process: import('node:child_process').ChildProcess, port: number }[]} */
  #all = [];
  #place;

  /** @param {{ folder: string, candidate: import('./candidates.mjs').Candidate, ports: readonly number[] }} place */
  constructor(place) {
    this.#place = place;
  }

  get canRefuse() {
    return this.#place.candidate.canRefuse === true;
  }

  get #runsFile() {
    return join(this.#place.folder, `${this.#place.candidate.name}.runs`);
  }

  async start() {
    this.#all = await Promise.all([this.#launch(), this.#launch()]);
  }

  /** Ends a replica and waits until it is gone. @param {number} index */
  async end(index = -1) {
    const ending = this.#all.filter((_, at) => index < 0 || at === index);
    for (const { process } of ending) {
      if (process.exitCode === null && process.signalCode === null) {
        process.kill('SIGKILL');
        await once(process, 'exit');
      }
    }
  }

  /** Lets the handlers of a replica that may crash do so. @param {number} index @param {boolean} isCrashing */
  async restart(index, isCrashing) {
    await this.end(index);
    this.#all[index] = await this.#launch(isCrashing);
  }

  /** A name for requests whose runs are counted together. */
  name() {
    return `${this.#place.candidate.name}-${process.pid}-${(runs += 1)}`;
  }

  /** How often handlers ran for a name, in all replicas. @param {string} name */
  runsOf(name) {
    if (!existsSync(this.#runsFile)) return 0;
    return readFileSync(this.#runsFile, 'utf8')
      .split('\n')
      .filter((line) => line === name).length;
  }

  /** @param {number} index @param {Request} request @returns {Promise<Reply>} */
  async post(index, { route, key, body, user = 'ann' }) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key, 'x-user': user };
    const url = `http://127.0.0.1:${this.#all[index]?.port}/${route}`;
    try {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      const names = ['idempotent-replayed', 'idempotency-replayed'];
      const replayed = names.some((name) => response.headers.get(name) === 'true');
      return { status: response.status, replayed, text: await response.text() };
    } catch {
      return { status: 0, replayed: false, text: '' }; // the process ended, or cut the connection
    }
  }

  async #launch(isCrashing = false) {
    const { folder, candidate, ports } = this.#place;
    const order = { file: candidate.app, ports, isDocumented: candidate.isDocumented === true, runs: this.#runsFile };
    const child = fork(join(folder, 'apps/application.mjs'), [JSON.stringify(order)], {
      cwd: folder,
      env: { ...process.env, CRASH: isCrashing ? 'yes' : 'no' },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    started(child);
    let said = '';
    child.stderr?.on('data', (text) => (said = (said + String(text)).slice(-600)));
    const ended = once(child, 'exit').then(() => {
      throw new Error(`the application ended: ${said.trim()}`);
    });
    ended.catch(() => undefined);
    const signal = AbortSignal.timeout(READY_WITHIN_MS);
    const [{ port }] = await Promise.race([once(child, 'message', { signal }), ended]);
    return { process: child, port };
  }
}
