import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { MAX_TTL } from '../../../lib/core/api/options.js';
import { manifestsIn, wrongNames, wrongValues, type Manifest } from '../../support/kubernetes.js';

const FILE = 'docs/kubernetes/redlock-nodes.yaml';

/** The manifests of the file, by kind. */
function manifests(): Record<string, Manifest> {
  const all = manifestsIn(readFileSync(FILE, 'utf8'));
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

  it('fits the schema of Kubernetes', () => {
    const all = Object.values(manifests());
    expect(all.map(({ kind }) => kind)).toEqual(['Service', 'PodDisruptionBudget', 'StatefulSet']);
    expect(all.flatMap(wrongValues)).toEqual([]);
    expect(wrongNames(all)).toEqual([]);
  }, 120_000);

  it.each<[string, object, RegExp]>([
    ['a text for a number', { replicas: 'five' }, /spec\/replicas must be integer/],
    ['a policy that does not exist', { podManagementPolicy: 'Ordered' }, /podManagementPolicy must be equal to one of/],
    [
      'no selector',
      { selector: undefined },
      /must have required property 'selector'|spec must have required property selector/,
    ],
  ])('would not fit it with %s', (_case, change, problem) => {
    const { StatefulSet } = manifests();
    const changed = JSON.parse(
      JSON.stringify({ ...StatefulSet, spec: { ...StatefulSet!.spec, ...change } }),
    ) as Manifest;
    expect(wrongValues(changed)).toEqual([expect.stringMatching(problem)]);
  });

  it('would not fit it with a name that does not exist', () => {
    const { StatefulSet } = manifests();
    const changed = { ...StatefulSet!, spec: { ...StatefulSet!.spec, minReadySecond: 35 } };
    expect(wrongNames([changed])).toEqual([expect.stringMatching(/minReadySecond"?' does not exist/)]);
  }, 120_000);
});
