import { RESERVED } from '../../engine/reserved-keys.js';
import { channelOf } from '../../redis/batch.js';
import { troublesIn } from '../../redis/server-info.js';
import type { NodeSession } from '../nodes/node-session.js';
import { checkOfNode, type Check } from './check.js';

/** Returns the check of a setting that the library warns of, too. */
function checkOfSetting(name: string, setting: keyof ReturnType<typeof troublesIn>): Check {
  return checkOfNode(name, ({ info }) => {
    const trouble = troublesIn(info)[setting];
    return trouble && { severity: 'error', ...trouble };
  });
}

/** Each step of a lock is a script, so that nothing comes between its parts. */
const lua = checkOfNode('Lua', async ({ session }) => {
  try {
    await session.ask((redis) => redis.eval('return 1', 0));
    return undefined;
  } catch (error) {
    // Silence tells nothing of Lua.
    if ((error as Error).name !== 'ReplyError') throw error;
    return {
      severity: 'error',
      what: `it runs no Lua scripts: ${(error as Error).message}`,
      why: 'without scripts it gives no votes',
      remedy:
        'allow EVAL and EVALSHA to the user of the locks, and load the module for Lua into a Valkey without it; if Lua is off because of a hole in the server, update the server',
    };
  }
});

/** The user of the locks needs some rights; ACL DRYRUN tells which are missing, from Redis 7 on. */
const rights = checkOfNode('rights', async ({ session }, { settings: { aclUser, prefix } }) => {
  try {
    const user = aclUser ?? String(await session.ask((redis) => redis.call('ACL', 'WHOAMI')));
    const missing = await missingRights(session, user, commandsOf(prefix));
    if (missing.length === 0) return undefined;
    return {
      severity: 'error',
      what: `its user "${user}" is not allowed: ${missing.join('; ')}`,
      why: 'locks, waiting or fencing tokens fail if the node refuses a command',
      remedy: 'grant the user the permissions that docs/waiting.md lists',
    };
  } catch (error) {
    return {
      severity: 'advice',
      what: `which rights its user has is unknown: ${(error as Error).message}`,
      why: 'a missing right shows only when a lock needs it',
      remedy:
        'run doctor as an administrator of the node (Redis 7 or newer, ACL DRYRUN), with --acl-user and the name of the user of the locks',
    };
  }
});

/** What locks do, as commands: only the number of their words, and their keys and channels, matter. */
const COMMANDS = [
  'ping; info; time; eval script 1 KEY; evalsha script 1 KEY; exists WAITING; get KEY; get NODE; set KEY value; set NODE value',
  'set WAITING value; del KEY; pttl KEY; pexpire KEY 1; hget FENCES field; hset FENCES field value; zadd QUEUE 1 member',
  'zrem QUEUE member; zrange QUEUE 0 0; zpopmin QUEUE; hset PLACES member text; hget PLACES member; hdel PLACES member',
  'publish CHANNEL message; subscribe CHANNEL; pubsub numsub CHANNEL',
];

function commandsOf(prefix: string): string[][] {
  const names: Readonly<Record<string, string>> = {
    KEY: `${prefix}doctor`,
    QUEUE: `${prefix}doctor${RESERVED.queue}`,
    PLACES: `${prefix}doctor${RESERVED.places}`,
    FENCES: `${prefix}${RESERVED.fences}`,
    WAITING: `${prefix}${RESERVED.waiting}`,
    NODE: `${prefix}${RESERVED.node}`,
    CHANNEL: channelOf(prefix, 'doctor'),
  };
  const commands = COMMANDS.flatMap((line) => line.split('; '));
  return commands.map((command) => command.split(' ').map((word) => names[word] ?? word));
}

async function missingRights(
  session: NodeSession,
  user: string,
  commands: readonly (readonly string[])[],
): Promise<string[]> {
  const replies = await session.askAll((pipeline) => {
    for (const command of commands) pipeline.call('ACL', 'DRYRUN', user, ...command);
  });
  return commands.flatMap(([name], index) => {
    const [error, reply] = replies[index]!;
    if (error) throw error;
    return reply === 'OK' ? [] : [`${name!.toUpperCase()} (${String(reply)})`];
  });
}

export const SETTING_CHECKS: readonly Check[] = [
  checkOfSetting('replica', 'replica'),
  checkOfSetting('cluster mode', 'cluster'),
  checkOfSetting('eviction', 'eviction'),
  lua,
  rights,
];
