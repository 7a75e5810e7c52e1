import { CountingProxies } from '../redis/counting-proxies.mjs';
import { Child, goTogether } from './child.mjs';

/** @typedef {import('./child.mjs').Figures} Figures */
/**
 * @typedef {object} Surroundings
 * @property {import('../redis/servers.mjs').Servers} servers
 * @property {string} library
 * @property {boolean} quick
 */
/** @typedef {Partial<import('../candidates/candidates.mjs').Settings>} SomeSettings */
/** @typedef {SomeSettings & { processes?: number, candidate?: string | null, flags?: readonly string[] }} Manner null: no candidate is connected; flags of Node */
/** @typedef {Manner & { limit?: number, atReady?: () => Promise<void> | void }} Performance limit in ms */

const TTL_MS = 10_000;
const LIMIT_MS = 20_000;
let casts = 0;

/** One candidate in one variant of a scenario in one round. */
export class Context {
  /**
   * @param {Surroundings} surroundings
   * @param {{ candidate: string | undefined, params: Record<string, any>, round: number, control: Figures }} part
   */
  constructor(surroundings, { candidate, params, round, control }) {
    this.servers = surroundings.servers;
    this.library = surroundings.library;
    this.quick = surroundings.quick;
    this.candidate = candidate;
    this.params = params;
    this.round = round;
    /** What was measured at the beginning of the round, without any candidate. */
    this.control = control;
  }

  /**
   * Connects processes of the candidate and warms them up; whatever comes of `act`, they end with it.
   * @template T
   * @param {{ work: string, params: Record<string, any>, manner?: Manner }} cast
   * @param {(children: Child[]) => Promise<T>} act
   */
  async perform({ work, params, manner = {} }, act) {
    const { processes = 1, candidate = this.candidate, flags, ...settings } = manner;
    const children = Array.from({ length: processes }, () => new Child(flags));
    // A process that is ended may leave a lock behind: no name is ever used again.
    const run = `${process.pid}-${(casts += 1)}`;
    const common = { ports: this.servers.ports, ttl: TTL_MS, library: this.library, ...settings };
    try {
      await Promise.all(
        children.map((child, index) =>
          child.prepare({
            candidate: candidate ?? undefined,
            work,
            params: { run, process: index, ...params },
            settings: common,
          }),
        ),
      );
      return await act(children);
    } finally {
      for (const child of children) child.end();
    }
  }

  /**
   * Lets processes do a work, all from the same moment on, while nothing else runs.
   * @param {string} work
   * @param {Record<string, any>} params
   * @param {Performance} [performance]
   */
  together(work, params, { limit = LIMIT_MS, atReady, ...manner } = {}) {
    return this.perform({ work, params, manner }, async (children) => {
      await atReady?.();
      const cpuBefore = await this.servers.usedCpu();
      const each = await goTogether(children, limit);
      return { each, serverCpuMs: (await this.servers.usedCpu()) - cpuBefore };
    });
  }

  /**
   * @param {string} work
   * @param {Record<string, any>} params
   * @param {Performance} [performance]
   * @returns {Promise<Figures>}
   */
  async alone(work, params, performance) {
    const { each, serverCpuMs } = await this.together(work, params, performance);
    return { ...each[0], serverCpuMs };
  }

  /**
   * The same through proxies that count.
   * @param {string} work
   * @param {Record<string, any>} params
   * @param {Performance} [performance]
   */
  async counted(work, params, performance) {
    const proxies = new CountingProxies();
    try {
      const ports = await proxies.start(this.servers.ports);
      const { each } = await this.together(work, params, { ...performance, ports, atReady: () => proxies.reset() });
      return { figures: { ...each[0] }, each, commands: proxies.commands, bytes: proxies.bytes };
    } finally {
      proxies.stop();
    }
  }
}
