import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_LOCK_OPTIONS, MAX_TTL } from '../../../lib/engine/options.js';
import { SHUTDOWN_TIMEOUT } from '../../../lib/redlock.service.js';
import { manifestsIn, wrongNames, wrongValues, type Manifest } from '../../support/kubernetes.js';

/** The parts of a container that the tests look at; durations in seconds. */
interface Container {
  readonly args?: readonly string[];
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly readinessProbe?: { readonly initialDelaySeconds: number };
}

/** The manifests of a file, by kind. */
function manifests(file = 'redlock-nodes'): Record<string, Manifest> {
  const all = manifestsIn(readFileSync(`docs/operate/kubernetes/${file}.yaml`, 'utf8'));
  return Object.fromEntries(all.map((manifest) => [manifest.kind, manifest]));
}

function containerOf(spec: Manifest['spec']): Container {
  return (spec['template'] as { spec: { containers: Container[] } }).spec.containers[0]!;
}

describe('the manifest of the nodes in Kubernetes', () => {
  it('shows a restarted node as ready when it votes again, so that rollouts and drains wait for it', () => {
    const { spec } = manifests()['StatefulSet']!;
    expect(containerOf(spec).readinessProbe!.initialDelaySeconds).toBeGreaterThan(MAX_TTL / 1_000);
    expect(spec).toMatchObject({ replicas: 5, updateStrategy: { type: 'RollingUpdate' } });
  });

  it('starts all nodes at once, and lets clients reach them before they are ready', () => {
    const { StatefulSet, Service } = manifests();
    expect(StatefulSet!.spec).toMatchObject({ podManagementPolicy: 'Parallel' });
    expect(Service!.spec).toMatchObject({ publishNotReadyAddresses: true });
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
    const { args } = containerOf(StatefulSet!.spec);
    expect(args!.join(' ')).toContain('--maxmemory-policy noeviction');
    expect(args!.join(' ')).not.toMatch(/replicaof|cluster-enabled/);
  });

  it('fits the schema of Kubernetes', () => {
    const all = [...Object.values(manifests()), ...Object.values(manifests('application'))];
    expect(all.map(({ kind }) => kind)).toEqual(['Service', 'PodDisruptionBudget', 'StatefulSet', 'Deployment']);
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

  it.each([
    ['minReadySeconds', 'minReadySecond'],
    ['initialDelaySeconds', 'initialDelaySecond'],
    ['podManagementPolicy', 'podManagmentPolicy'],
  ])(
    'would not fit it with a misspelt name: %s',
    (name, misspelt) => {
      const { StatefulSet } = manifests();
      const given = JSON.stringify({ ...StatefulSet, spec: { minReadySeconds: 0, ...StatefulSet!.spec } });
      const changed = JSON.parse(given.replace(`"${name}"`, `"${misspelt}"`)) as Manifest;
      expect(wrongNames([changed])).toEqual([expect.stringMatching(new RegExp(`${misspelt}"?' does not exist`))]);
    },
    120_000,
  );
});

describe('the manifest of an application in Kubernetes', () => {
  it('leaves time for the pause before the signal, for the longest wait for a lock, and for the holders', () => {
    const { spec } = manifests('application')['Deployment']!;
    const { terminationGracePeriodSeconds: total } = (spec['template'] as { spec: Record<string, number> }).spec;
    const [program, pause] = containerOf(spec).lifecycle!.preStop.exec.command;
    expect(program).toBe('sleep');
    expect(total).toBeGreaterThan(Number(pause) + DEFAULT_LOCK_OPTIONS.waitTimeout / 1_000 + SHUTDOWN_TIMEOUT / 1_000);
  });
});
