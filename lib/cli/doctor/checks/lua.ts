import { checkOfNode } from '../finding.js';

/** Each step of a lock is a script, so that nothing comes between its parts. */
export const lua = checkOfNode('Lua', async ({ session }) => {
  try {
    await session.ask((redis) => redis.eval('return 1', 0));
    return undefined;
  } catch (error) {
    return {
      severity: 'error',
      what: `it runs no Lua scripts: ${(error as Error).message}`,
      why: 'without scripts it gives no votes',
      remedy:
        'allow EVAL and EVALSHA to the user of the locks, and load the module for Lua into a Valkey without it; where Lua is off because of a hole in the server, update the server',
    };
  }
});
