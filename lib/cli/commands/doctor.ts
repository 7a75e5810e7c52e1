import {
  type Check,
  type CheckedPool,
  checkedPoolOf,
  type DoctorOptions,
  type Finding,
  type Severity,
} from '../doctor/check.js';
import { KEY_CHECKS } from '../doctor/keys.js';
import { NODE_CHECKS } from '../doctor/nodes.js';
import { SETTING_CHECKS, VERSION_CHECKS } from '../doctor/settings.js';
import { EXIT, exitCodeOf, type Outcome } from '../io.js';
import type { NodeSession } from '../nodes/node-session.js';
import { paragraph, plain } from '../output/layout.js';
import type { Settings } from '../settings.js';
import { statusText } from './status.js';

const CHECKS = [...NODE_CHECKS, ...SETTING_CHECKS, ...VERSION_CHECKS, ...KEY_CHECKS];
/** The worst first. */
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'advice'];

/** A finding with the name of the check that made it. */
type Diagnosis = Finding & { readonly check: string };

/** Looks for what endangers locks, and says why each finding matters and what to do. */
export async function doctor(
  sessions: readonly NodeSession[],
  settings: Settings,
  options: DoctorOptions,
): Promise<Outcome> {
  const pool = await checkedPoolOf(sessions, { ...settings, ...options });
  const diagnoses = await Promise.all(CHECKS.map((check) => diagnose(check, pool)));
  const findings = diagnoses.flat().sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const { nodes, quorum, votes } = pool.overview;
  const isWell = findings.every(({ severity }) => severity === 'advice');
  const code = exitCodeOf(votes, nodes.length, quorum);
  return {
    code: code === EXIT.fine && !isWell ? EXIT.degraded : code,
    json: { nodes: nodes.length, quorum, votes, findings },
    text: (columns) => {
      const texts = textsOf(findings, columns);
      return [statusText(pool.overview, columns), ...(texts.length > 0 ? texts : ['No findings.'])].join('\n\n');
    },
  };
}

/** A check that fails says so; the others go on. */
async function diagnose(check: Check, pool: CheckedPool): Promise<Diagnosis[]> {
  try {
    return (await check.find(pool)).map((finding) => ({ check: check.name, ...finding }));
  } catch (error) {
    const what = `this check failed: ${(error as Error).message}`;
    const why = 'what it looks for is unknown';
    return [{ check: check.name, severity: 'warning', what, why, remedy: 'run doctor again' }];
  }
}

/** Returns findings as paragraphs. The same finding on several nodes is one of them. */
function textsOf(findings: readonly Diagnosis[], columns: number): string[] {
  const nodes = new Map<string, string[]>();
  for (const { check, severity, what, why, remedy, node = 'all nodes' } of findings) {
    const labels = [
      ['  what:  ', what],
      ['  why:   ', why],
      ['  to do: ', remedy],
    ] as const;
    const text = labels.map(([label, words]) => paragraph(plain(words), columns, label)).join('\n');
    const key = `${severity.toUpperCase()}  ${check}, \n${text}`;
    nodes.set(key, [...(nodes.get(key) ?? []), plain(node)]);
  }
  return [...nodes].map(([key, names]) => {
    const [head, ...text] = key.split('\n');
    return [paragraph(head + names.join(', '), columns), ...text].join('\n');
  });
}
