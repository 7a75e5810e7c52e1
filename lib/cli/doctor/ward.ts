import { fieldsOf } from '../../redis/trust/server-checks.js';
import type { NodeSession } from '../nodes/node-session.js';
import { overviewOf, type NodeReport } from '../nodes/overview.js';
import type { Settings } from '../settings.js';
import type { DoctorOptions, Patient, Ward } from './finding.js';
import { keysOnNode, type KeysOnNode } from './keys-on-node.js';

/** Gathers what the checks look at. */
export async function wardOf(
  sessions: readonly NodeSession[],
  settings: Settings,
  options: DoctorOptions,
): Promise<Ward> {
  const overview = await overviewOf(sessions);
  const patients = await Promise.all(
    sessions.flatMap((session, index) => (session.isUp ? [patientOf(session, overview.nodes[index]!)] : [])),
  );
  return { settings: { ...settings, ...options }, overview, patients };
}

async function patientOf(session: NodeSession, report: NodeReport): Promise<Patient> {
  const info = await session.ask((redis) => redis.info()).catch(() => '');
  let keys: Promise<KeysOnNode> | undefined;
  return { session, report, info: fieldsOf(info), keys: () => (keys ??= keysOnNode(session)) };
}
