import type { Weakness } from './recorder.js';

export type Deed = 'stop-node' | 'freeze-node' | 'restart-node' | 'freeze-server' | 'stop-server' | 'drop' | 'without';

/** What a reader did at a time, ms. The same list always makes the same world. */
export interface Action {
  readonly at: number;
  readonly deed: Deed;
  /** The number of a node, of a server or of a message, or the name of a rule. */
  readonly target: string;
}

export const WEAKNESSES: readonly Weakness[] = ['lock', 'quarantine', 'fence'];
const DEEDS: readonly Deed[] = [
  'stop-node',
  'freeze-node',
  'restart-node',
  'freeze-server',
  'stop-server',
  'drop',
  'without',
];

/** Returns actions as the text of an address. */
export function toText(actions: readonly Action[]): string {
  return actions.map(({ at, deed, target }) => `${Math.round(at)}.${deed}.${target}`).join('~');
}

/** Reads the text of an address; leaves out what nobody could have done. */
export function fromText(text: string): Action[] {
  return text.split('~').flatMap((part) => {
    const [at = '', deed, target = ''] = part.split('.');
    const known = DEEDS.find((one) => one === deed);
    return known === undefined || !/^\d+$/.test(at) || target === '' ? [] : [{ at: Number(at), deed: known, target }];
  });
}

/** From when on each rule is missing. */
export function weaknessesOf(actions: readonly Action[]): Map<Weakness, number> {
  return new Map(
    actions.flatMap(({ at, deed, target }) => {
      const weakness = WEAKNESSES.find((one) => deed === 'without' && one === target);
      return weakness === undefined ? [] : [[weakness, at] as const];
    }),
  );
}

/** The numbers of the messages that are dropped. */
export function droppedBy(actions: readonly Action[]): Set<number> {
  return new Set(actions.filter(({ deed }) => deed === 'drop').map(({ target }) => Number(target)));
}
