import { createRequire } from 'node:module';
import { complaintsAbout } from './readme.js';

const require = createRequire(import.meta.url);

/** A document of a manifest. */
export interface Manifest {
  readonly kind: string;
  readonly spec: Record<string, unknown>;
}

type ModelClass = new (manifest: Manifest) => { validate(): void };

/** Where the package of models has each kind that the manifest uses. */
const MODULES: Readonly<Record<string, string>> = {
  Service: 'kubernetes-models/v1/Service',
  PodDisruptionBudget: 'kubernetes-models/policy/v1/PodDisruptionBudget',
  StatefulSet: 'kubernetes-models/apps/v1/StatefulSet',
  Deployment: 'kubernetes-models/apps/v1/Deployment',
};

/** Reads the documents of a YAML text. */
export function manifestsIn(yaml: string): Manifest[] {
  // Without types of its own.
  const { loadAll } = require('js-yaml') as { loadAll(text: string): Manifest[] };
  return loadAll(yaml);
}

/** Returns what is wrong with the values of a manifest by the schema of Kubernetes; the schema lets unknown names pass. */
export function wrongValues(manifest: Manifest): string[] {
  const module = MODULES[manifest.kind];
  if (module === undefined) return [`there is no schema for ${manifest.kind}`];
  const { [manifest.kind]: Model } = require(module) as Record<string, ModelClass>;
  try {
    new Model!(manifest).validate();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Returns what the compiler has to say about manifests as values of the types of Kubernetes: above all names that do not exist. */
export function wrongNames(manifests: readonly Manifest[]): string[] {
  const blocks = manifests.map((manifest, index) => {
    const type = `I${manifest.kind}`;
    const code =
      `import type { ${type} } from '${MODULES[manifest.kind]}';\n` +
      `export const manifest: ${type} = ${JSON.stringify(manifest)};\n`;
    return { file: `manifest-${index}.ts`, code };
  });
  return complaintsAbout(blocks);
}
