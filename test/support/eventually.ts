import { setTimeout } from 'node:timers/promises';

/** Tries `check` again and again until it throws no more; after `limit` ms its last error counts. */
export async function eventually(check: () => void | Promise<void>, limit = 10_000): Promise<void> {
  const end = performance.now() + limit;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await setTimeout(10);
    }
  }
}
