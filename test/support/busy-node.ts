import { expect } from '@jest/globals';
import { eventually } from './eventually.js';
import { connectRedis } from './redis-client.js';

/** Has a node run a script that does not end by itself, so that it answers BUSY; returns what ends the script. */
export async function keepBusy(url: string): Promise<() => Promise<void>> {
  // A new connection asks for INFO, which a busy node refuses, so the one that ends the script is made before.
  const [runs, ends] = [await connectRedis(url), await connectRedis(url)];
  await runs.config('SET', 'lua-time-limit', '1');
  runs.eval('while true do end', 0).catch(() => runs.disconnect());
  await eventually(() => expect(ends.get('any')).rejects.toThrow('BUSY'));
  return async () => {
    await ends.script('KILL');
    ends.disconnect();
  };
}
