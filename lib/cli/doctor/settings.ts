import { RESERVED } from '../../engine/resources.js';
import { channelOf } from '../../redis/codec.js';
import { troublesIn } from '../../redis/server-info.js';
import type { NodeSession } from '../nodes/node-session.js';
import { type Check, checkOfNode } from './check.js';

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
        'allow EVAL and EVALSHA to the user of the locks, or load the Lua module of Valkey. If scripts are off because of a security hole, update the server',
    };
  }
});

/** The user of the locks needs some permissions. From Redis 7 on, ACL DRYRUN says which are missing. */
const rights = checkOfNode('rights', async ({ session }, { settings: { aclUser, prefix } }) => {
  try {
    const user = aclUser ?? String(await session.ask((redis) => redis.call('ACL', 'WHOAMI')));
    const missing = await missingRights(session, user, commandsOf(prefix));
    if (missing.length === 0) return undefined;
    return {
      severity: 'error',
      what: `its user "${user}" is not allowed: ${missing.join('; ')}`,
      why: 'locks, waiting or fencing tokens fail if the node refuses a command',
      remedy: 'grant the user these commands, for the keys and channels of the prefix',
    };
  } catch (error) {
    return {
      severity: 'advice',
      what: `which permissions its user has is unknown: ${(error as Error).message}`,
      why: 'a missing permission shows only when a lock needs it',
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

interface Hole {
  readonly name: string;
  /** The first version that has it; undefined if all have it. */
  readonly since?: string;
  /** The versions of each product that close it, by their release notes, the newest line first. An older line that is missing here is open. */
  readonly closed: Readonly<Record<Product, string>>;
}

type Product = 'Redis' | 'Valkey';

/** Holes that a script can use to break out of Lua. */
const HOLES: readonly Hole[] = [
  {
    name: 'CVE-2025-49844',
    closed: { Redis: '8.2.2 8.0.4 7.4.6 7.2.11 6.2.20', Valkey: '8.1.4 8.0.6 7.2.11' },
  },
  {
    name: 'CVE-2026-23631',
    // Its maintainers say that 6.2 is safe.
    since: '7.0.0',
    closed: { Redis: '8.6.3 8.4.3 8.2.6 7.4.9 7.2.14', Valkey: '9.0.4 8.1.7 8.0.8 7.2.13' },
  },
];

/** Locks need Lua, so a node with a known fault in its Lua has to be updated. */
const version = checkOfNode('version', ({ info }) => {
  const valkey = info.get('valkey_version');
  const product: Product = valkey === undefined ? 'Redis' : 'Valkey';
  const text = valkey ?? info.get('redis_version') ?? '';
  const open = HOLES.filter((hole) => isOpen(text, hole.closed[product], hole.since ?? '0'));
  if (open.length === 0) return undefined;
  const closed = open.map((hole) => `${hole.name} is closed in ${hole.closed[product].replaceAll(' ', ', ')}`);
  return {
    severity: 'advice',
    what: `${product} ${text} may have known holes in its Lua: ${open.map(({ name }) => name).join(', ')}`,
    why: 'a client that may run scripts on it may be able to run programs on its machine',
    remedy: `update it, unless your distribution has closed them without a new version number; ${closed.join('; ')}`,
  };
});

/** Returns whether a hole that is closed in these versions is open in this one. */
function isOpen(text: string, closed: string, since: string): boolean {
  if (!/^\d+\.\d+\.\d+/.test(text) || isOlder(text, since)) return false;
  const versions = closed.split(' ');
  const line = versions.find((one) => one.split('.', 2).join() === text.split('.', 2).join());
  return isOlder(text, line ?? versions[0]!);
}

function isOlder(one: string, than: string): boolean {
  return one.localeCompare(than, 'en', { numeric: true }) < 0;
}

export const VERSION_CHECKS: readonly Check[] = [version];
