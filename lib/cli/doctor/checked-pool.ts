import { fieldsOf } from '../../redis/trust/server-checks.js';
import type { NodeSession } from '../nodes/node-session.js';
import { overviewOf, type NodeReport } from '../nodes/overview.js';
import type { Settings } from '../settings.js';
import type { CheckedNode, CheckedPool, DoctorOptions } from './finding.js';
import { keysOnNode, type KeysOnNode } from './keys-on-node.js';

/** Gathers what the checks look at. */
export async function checkedPoolOf(
  sessions: readonly NodeSession[],
  settings: Settings,
  options: DoctorOptions,
): Promise<CheckedPool> {
  const overview = await overviewOf(sessions);
  const nodes = await Promise.all(
    sessions.flatMap((session, index) => (session.isUp ? [checkedNodeOf(session, overview.nodes[index]!)] : [])),
  );
  return { settings: { ...settings, ...options }, overview, nodes };
}

async function checkedNodeOf(session: NodeSession, report: NodeReport): Promise<CheckedNode> {
  const info = await session.ask((redis) => redis.info()).catch(() => '');
  let keys: Promise<KeysOnNode> | undefined;
  return { session, report, info: fieldsOf(info), keys: () => (keys ??= keysOnNode(session)) };
}
