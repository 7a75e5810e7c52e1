import { onEnd } from '../../bench/harness/leaving.mjs';
import { Servers } from '../../bench/redis/servers.mjs';
import { setUpRedis, stopComposeNodes } from '../../../.ci/set-up.mjs';
import { startComposeNodes } from '../../../.ci/set-up/compose.mjs';

/** Five nodes for all consumers together; each has a key prefix of its own. @returns {Promise<readonly string[]>} */
export async function startNodes() {
  if (setUpRedis().kind === 'compose') {
    const { nodes, started } = startComposeNodes();
    onEnd(() => void stopComposeNodes(started));
    return nodes;
  }
  const servers = new Servers();
  await servers.start();
  return servers.ports.map((port) => `redis://127.0.0.1:${port}`);
}
