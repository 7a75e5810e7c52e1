import { FAMILIES } from '../../../core/port/key-families.js';
import type { NodeSession } from '../../nodes/node-session.js';
import { checkOfNode } from '../finding.js';

/** What locks do with keys and channels, as commands whose words only have to be of the right number. */
function commandsOf(keyPrefix: string): readonly (readonly string[])[] {
  const [key, fences, channel] = [`${keyPrefix}doctor`, `${keyPrefix}${FAMILIES.fences}`, `${keyPrefix}~grants:doctor`];
  const line = `${key}${FAMILIES.line}`;
  return [
    ['ping'],
    ['info'],
    ['time'],
    ['eval', 'return 1', '1', key],
    ['evalsha', 'a'.repeat(40), '1', key],
    ['exists', key],
    ['get', key],
    ['mget', `${keyPrefix}${FAMILIES.waiting}`, `${keyPrefix}${FAMILIES.node}`],
    ['set', key, 'value'],
    ['del', key],
    ['pttl', key],
    ['pexpire', key, '1'],
    ['hget', fences, 'field'],
    ['hmget', fences, 'field'],
    ['hset', fences, 'field', 'value'],
    ['zadd', line, '1', 'member'],
    ['zrem', line, 'member'],
    ['zrange', line, '0', '0'],
    ['zpopmin', line],
    ['publish', channel, 'message'],
    ['subscribe', channel],
    ['pubsub', 'numsub', channel],
  ];
}

/** The user of the locks needs some rights; which ones are missing is told by ACL DRYRUN, which Redis has from version 7 on. */
export const rights = checkOfNode('rights', async ({ session }, { settings: { aclUser, keyPrefix } }) => {
  try {
    const user = aclUser ?? String(await session.ask((redis) => redis.call('ACL', 'WHOAMI')));
    const missing = await missingRights(session, user, commandsOf(keyPrefix));
    if (missing.length === 0) return undefined;
    return {
      severity: 'error',
      what: `its user "${user}" is not allowed: ${missing.join('; ')}`,
      why: 'locks, waiting or fencing tokens fail where the node refuses a command',
      remedy: 'give the user the rights that docs/waiting.md lists',
    };
  } catch (error) {
    return {
      severity: 'advice',
      what: `which rights its user has cannot be told: ${(error as Error).message}`,
      why: 'a missing right shows only when a lock needs it',
      remedy:
        'run doctor as an administrator of the node (Redis 7 or newer, ACL DRYRUN), with --acl-user and the name of the user of the locks',
    };
  }
});

async function missingRights(
  session: NodeSession,
  user: string,
  commands: readonly (readonly string[])[],
): Promise<string[]> {
  const missing: string[] = [];
  for (const command of commands) {
    const answer = await session.ask((redis) => redis.call('ACL', 'DRYRUN', user, ...command));
    if (answer !== 'OK') missing.push(`${command[0]!.toUpperCase()} (${String(answer)})`);
  }
  return missing;
}
