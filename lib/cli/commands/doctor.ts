import { checkedPoolOf } from '../doctor/checked-pool.js';
import { CHECKS } from '../doctor/checks.js';
import type { Check, CheckedPool, DoctorOptions, Finding, Severity } from '../doctor/finding.js';
import { EXIT, exitCodeOf } from '../exit-code.js';
import type { NodeSession } from '../nodes/node-session.js';
import { plain } from '../output/plain.js';
import type { Settings } from '../settings.js';
import type { Outcome } from './outcome.js';
import { statusText } from './status.js';

/** The worst first. */
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'advice'];

/** A finding with the name of the check that made it. */
type Diagnosis = Finding & { readonly check: string };

/** Looks for what endangers locks, and says of each finding why it matters and what to do. */
export async function doctor(
  sessions: readonly NodeSession[],
  settings: Settings,
  options: DoctorOptions,
): Promise<Outcome> {
  const pool = await checkedPoolOf(sessions, settings, options);
  const diagnoses = await Promise.all(CHECKS.map((check) => diagnose(check, pool)));
  const findings = diagnoses.flat().sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const { nodes, quorum, votes } = pool.overview;
  const isWell = findings.every(({ severity }) => severity === 'advice');
  const code = exitCodeOf(votes, nodes.length, quorum);
  return {
    code: code === EXIT.fine && !isWell ? EXIT.degraded : code,
    json: { nodes: nodes.length, quorum, votes, findings },
    text: `${statusText(pool.overview)}\n\n${textsOf(findings).join('\n\n') || 'No findings.'}`,
  };
}

/** A check that fails says so; the others go on. */
async function diagnose(check: Check, pool: CheckedPool): Promise<Diagnosis[]> {
  try {
    return (await check.find(pool)).map((finding) => ({ check: check.name, ...finding }));
  } catch (error) {
    const what = `this check failed: ${(error as Error).message}`;
    return [
      {
        check: check.name,
        severity: 'warning',
        what,
        why: 'what it looks for is not known',
        remedy: 'run doctor again',
      },
    ];
  }
}

/** Returns findings as paragraphs; what is the same on several nodes is said once. */
function textsOf(findings: readonly Diagnosis[]): string[] {
  const nodes = new Map<string, string[]>();
  for (const finding of findings) {
    const text = textOf(finding);
    nodes.set(text, [...(nodes.get(text) ?? []), plain(finding.node ?? 'all nodes')]);
  }
  return [...nodes].map(([text, names]) => text.replace('\n', () => `${names.join(', ')}\n`));
}

/** Returns a finding as a paragraph, whose first line lacks the nodes. */
function textOf({ check, severity, what, why, remedy }: Diagnosis): string {
  return [
    `${severity.toUpperCase()}  ${check}, `,
    `  what:  ${plain(what)}`,
    `  why:   ${plain(why)}`,
    `  to do: ${plain(remedy)}`,
  ].join('\n');
}
