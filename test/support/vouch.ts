import { withRedis } from './redis-client.js';

const SINCE_LONG = 3_600_000;

/** Makes a node vote at once, as one does that has been there for long: its marker says so. */
export async function vouchFor(url: string, maxTtl: number, keyPrefix = ''): Promise<void> {
  await withRedis(url, async (redis) => {
    const run = /run_id:(\w+)/.exec(await redis.info('server'))![1];
    const [seconds] = await redis.time();
    const since = (Number(seconds) * 1_000 - SINCE_LONG) * 1_000;
    await redis.set(`${keyPrefix}~node`, `${run}|${since}|${maxTtl}`);
  });
}
