import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export const ALERTS = 'docs/operate/alerts.yml';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** Reads the rules that the documentation proposes. */
export function alertRules(): AlertRule[] {
  // Without types of its own.
  const { load } = createRequire(import.meta.url)('js-yaml') as {
    load(yaml: string): { groups: { rules: AlertRule[] }[] };
  };
  return load(readFileSync(ALERTS, 'utf8')).groups.flatMap((group) => group.rules);
}
