import { delay } from '../harness/clock.mjs';
import { startApp } from './handler-app.mjs';

// For the answers to the last requests.
const AFTERGLOW_MS = 200;

/**
 * A Nest application with one handler, and what it costs in processor time while another process calls it.
 * @param {undefined} _client
 * @param {import('./handler-app.mjs').AppParams & { length: number }} params length in ms
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(_client, params) {
  const port = await startApp(params);
  const measure = async () => {
    const before = process.cpuUsage();
    await delay(params.length + AFTERGLOW_MS);
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / 1e3 };
  };
  return Object.assign(measure, { facts: { port } });
}
