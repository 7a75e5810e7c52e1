import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { MAX_TTL } from '../../../lib/core/api/options.js';

const FILE = 'docs/kubernetes/redlock-nodes.yaml';

/** The manifests of the file, by kind. */
function manifests(): Record<string, { readonly spec: Record<string, unknown> }> {
  // Without types of its own.
  const { loadAll } = createRequire(import.meta.url)('js-yaml') as { loadAll(yaml: string): { kind: string }[] };
  const all = loadAll(readFileSync(FILE, 'utf8')) as { kind: string; spec: Record<string, unknown> }[];
  return Object.fromEntries(all.map((manifest) => [manifest.kind, manifest]));
}

describe('the manifest of the nodes in Kubernetes', () => {
  it('restarts a node only when the one before it votes again', () => {
    const { spec } = manifests()['StatefulSet']!;
    expect(spec['minReadySeconds']).toBeGreaterThan(MAX_TTL / 1_000);
    expect(spec).toMatchObject({
      replicas: 5,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate' },
    });
  });

  it('takes one node at a time, and puts no two on one machine', () => {
    const { StatefulSet, PodDisruptionBudget } = manifests();
    expect(PodDisruptionBudget!.spec).toMatchObject({
      maxUnavailable: 1,
      selector: { matchLabels: { app: 'redlock' } },
    });
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'redlock' } } };
    expect(StatefulSet!.spec).toMatchObject({
      selector: { matchLabels: { app: 'redlock' } },
      template: {
        metadata: { labels: { app: 'redlock' } },
        spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
      },
    });
  });

  it('has masters that evict nothing, each by a name of its own', () => {
    const { StatefulSet, Service } = manifests();
    expect(Service!.spec).toMatchObject({ clusterIP: 'None', selector: { app: 'redlock' } });
    expect(StatefulSet!.spec).toMatchObject({ serviceName: 'redlock' });
    const [container] = (StatefulSet!.spec['template'] as { spec: { containers: { args: string[] }[] } }).spec
      .containers;
    expect(container!.args.join(' ')).toContain('--maxmemory-policy noeviction');
    expect(container!.args.join(' ')).not.toMatch(/replicaof|cluster-enabled/);
  });
});
