import { DelayingProxies } from '../redis/delaying-proxies.mjs';

/** @typedef {'slow' | 'frozen' | 'killed'} Kind */
/**
 * @typedef {object} Fault
 * @property {() => Promise<number[]>} prepare gives the ports of nodes that are still well
 * @property {() => Promise<void>} begin
 * @property {() => Promise<void>} end
 */

// The last one: the first answers that come are then of the others.
const VICTIM = 4;
/** 100 ms from a command to its reply. */
const SLOW_EACH_WAY_MS = 50;

/** @param {Kind} kind @param {import('../redis/servers.mjs').Servers} servers @returns {Fault} */
export function faultOf(kind, servers) {
  if (kind === 'slow') return slow(servers);
  const prepare = async () => servers.ports;
  if (kind === 'frozen') {
    return { prepare, begin: async () => servers.freeze(VICTIM), end: async () => servers.thaw(VICTIM) };
  }
  let isKilled = false;
  return {
    prepare,
    begin: async () => {
      isKilled = true;
      await servers.kill(VICTIM);
    },
    end: async () => {
      if (isKilled) await servers.restart(VICTIM);
    },
  };
}

/** @param {import('../redis/servers.mjs').Servers} servers @returns {Fault} */
function slow(servers) {
  const proxies = new DelayingProxies();
  return {
    async prepare() {
      const [port = 0] = await proxies.start([Number(servers.ports[VICTIM])]);
      return servers.ports.with(VICTIM, port);
    },
    begin: () => proxies.setDelay(SLOW_EACH_WAY_MS),
    end: async () => proxies.stop(),
  };
}
