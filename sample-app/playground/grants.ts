import { Model } from '../../test/model/model.js';

/** How the world of a seed is, if not by chance. */
export type Choices = NonNullable<ConstructorParameters<typeof Model>[1]>;

/** One grant of a world: who got which resource when, and with which fencing token. */
export interface Grant {
  readonly at: number;
  /** -1: a client of another library. */
  readonly process: number;
  readonly resource: string;
  readonly token: number | undefined;
}

/** Calls `note` at each grant of a model, before the judge looks at it. */
export function watchGrants(model: Model, note: (grant: Grant) => void): void {
  const { judge, world } = model;
  const granted = judge.granted.bind(judge);
  judge.granted = (resource, holder, token) => {
    note({ at: world.time, process: holder.process?.id ?? -1, resource, token });
    granted(resource, holder, token);
  };
}

/** Runs the world of a seed as CI does it, and returns the hash of all its grants, and of all that its nodes were asked and answered. */
export async function traceHash(seed: number, fixed?: Choices): Promise<string> {
  const lines: string[] = [];
  const model = new Model(seed, fixed);
  const { world } = model;
  watchGrants(model, ({ at, process, resource, token }) => lines.push(`${at} ${process} ${resource} ${token}`));
  for (const { index, data } of world.nodes) {
    const execute = data.execute.bind(data);
    data.execute = (channel, operations) => {
      const answers = execute(channel, operations);
      lines.push(`${world.time} ${index} ${channel} ${kindsOf(operations)} ${kindsOf(answers)}`);
      return answers;
    };
  }
  const { told, violations } = await model.run();
  return hashOf([...lines, told, ...violations].join('\n'));
}

function kindsOf(parts: readonly { readonly kind: string }[]): string {
  return parts.map(({ kind }) => kind).join('+');
}

/** Returns 64 bits of a text as hexadecimal digits: two rounds of FNV-1a. */
function hashOf(text: string): string {
  const round = (start: number): string => {
    let hash = start;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, '0');
  };
  return round(0x811c9dc5) + round(0x050c5d1f);
}
