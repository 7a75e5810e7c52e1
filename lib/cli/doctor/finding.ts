import type { NodeReport, Overview } from '../nodes/overview.js';
import type { NodeSession } from '../nodes/node-session.js';
import type { Settings } from '../settings.js';
import type { KeysOnNode } from './keys-on-node.js';

/**
 * - error: the node gives no votes, or locks are not safe with it.
 * - warning: locks are slower, less fair or less available than they could be.
 * - advice: what is better in another way, or cannot be told from outside.
 */
export type Severity = 'error' | 'warning' | 'advice';

/** What is wrong, why that matters, and what to do. */
export interface Finding {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly remedy: string;
  /** Undefined where it concerns all nodes. */
  readonly node?: string | undefined;
}

/** One node as checks see it. */
export interface Patient {
  readonly session: NodeSession;
  readonly report: NodeReport;
  /** The fields of INFO; empty where the node does not tell. */
  readonly info: ReadonlyMap<string, string>;
  /** Looks through the keys below the prefix, once for all checks. */
  readonly keys: () => Promise<KeysOnNode>;
}

export interface Ward {
  readonly settings: Settings & DoctorOptions;
  readonly overview: Overview;
  /** The nodes that answer. */
  readonly patients: readonly Patient[];
}

export interface DoctorOptions {
  /** Ms that the application lets a node take to answer. */
  readonly nodeTimeout: number;
  /** Whose rights are looked at; undefined for the user of the address. */
  readonly aclUser?: string | undefined;
}

/** One check, in a file of its own in `checks/`. */
export interface Check {
  readonly name: string;
  find(ward: Ward): Promise<readonly Finding[]> | readonly Finding[];
}

/** Returns a check that looks at each node by itself. */
export function checkOfNode(name: string, look: (patient: Patient, ward: Ward) => Promise<Trouble> | Trouble): Check {
  return {
    name,
    find: async (ward) => {
      const found = await Promise.all(ward.patients.map(async (patient) => named(await look(patient, ward), patient)));
      return found.flat();
    },
  };
}

/** What is found on one node; undefined for nothing. */
export type Trouble = Omit<Finding, 'node'> | undefined;

function named(trouble: Trouble, { session }: Patient): Finding[] {
  return trouble === undefined ? [] : [{ ...trouble, node: session.name }];
}
