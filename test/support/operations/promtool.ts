import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findPromtool, NO_PROMTOOL } from '../../../.ci/set-up/promtool.mjs';
import { ALERTS } from './alert-rules.js';

const execute = promisify(execFile);

type Labels = Readonly<Record<string, string>>;

/** A process that Prometheus scrapes: what it answered, and for how many minutes; undefined while it is not there. */
export interface Target {
  readonly labels: Labels;
  readonly scrapes: readonly (readonly [minutes: number, text: string | undefined])[];
}

/** Which alerts are to fire that many minutes after the first scrape, by these of their labels. */
export interface Expectation {
  readonly at: number;
  readonly alert: string;
  readonly firing: readonly Labels[];
}

interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** Runs promtool, and rejects with what it says where it fails. */
export async function promtool(...args: string[]): Promise<string> {
  const program = findPromtool();
  if (program === undefined) throw new Error(NO_PROMTOOL);
  const { stdout } = await execute(program, args).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** Has Prometheus look at the alert rules while it scrapes these targets every `interval` minutes; rejects if other alerts fire. */
export async function checkAlerts(
  targets: readonly Target[],
  expectations: readonly Expectation[],
  interval = 0.25,
): Promise<void> {
  const test = {
    interval: `${interval * 60}s`,
    input_series: targets.flatMap((target) => seriesOf(target, interval)),
    promql_expr_test: expectations.map(({ at, alert, firing }) => ({
      expr: `group by (${Object.keys(firing[0] ?? { job: '' }).join(', ')}) (ALERTS{alertname="${alert}", alertstate="firing"})`,
      eval_time: `${at * 60}s`,
      exp_samples: firing.map((labels) => ({ labels: `{${written(labels)}}`, value: 1 })),
    })),
  };
  const folder = await mkdtemp(join(tmpdir(), 'redlock-alerts-'));
  const file = join(folder, 'alerts.test.yml');
  // JSON is YAML.
  await writeFile(
    file,
    JSON.stringify({ rule_files: [resolve(ALERTS)], evaluation_interval: test.interval, tests: [test] }),
  );
  try {
    await promtool('test', 'rules', file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The series of a target in the notation of promtool. One that is gone ends with a mark, as Prometheus writes it. */
function seriesOf({ labels, scrapes }: Target, interval: number): InputSeries[] {
  const read = scrapes.map(([minutes, text]) => ({
    samples: minutes / interval,
    values: valuesOf(text ?? '', labels),
  }));
  const names = new Set(read.flatMap(({ values }) => [...values.keys()]));
  return [...names].map((series) => {
    const parts = read.map(({ samples, values }, index) => {
      const value = values.get(series);
      if (value !== undefined) return `${value}x${samples - 1}`;
      return read[index - 1]?.values.has(series) ? `stale _x${samples - 1}` : `_x${samples}`;
    });
    return { series, values: parts.join(' ') };
  });
}

/** The values of a scrape by the names of their series, with the labels that Prometheus adds. */
function valuesOf(text: string, labels: Labels): Map<string, string> {
  const lines = [...text.matchAll(/^(redlock_\w+)(?:\{(.*)\})? (\S+)/gm)];
  return new Map(
    lines.map(([, name, own, value]) => [`${name}{${[own, written(labels)].filter(Boolean).join(',')}}`, value!]),
  );
}

function written(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');
}
