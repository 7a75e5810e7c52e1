import { checkOfNode, type Check, type Patient, type Trouble } from './finding.js';
import type { KeysOnNode } from './keys-on-node.js';

/** Returns a check that looks at the keys of each node; a node that does not show them is left to the check for that. */
export function checkOfKeys(
  name: string,
  look: (keys: KeysOnNode, patient: Patient) => Promise<Trouble> | Trouble,
): Check {
  return checkOfNode(name, async (patient) => {
    const keys = await patient.keys().catch(() => undefined);
    return keys && look(keys, patient);
  });
}
