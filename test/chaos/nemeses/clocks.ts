import type { Dice } from '../dice.js';
import type { ChaosNode } from '../stage/chaos-node.js';
import type { Stage } from '../stage/stage.js';
import { majorityOf, names, type Nemesis, type Strike } from './nemesis.js';

const HOUR = 3_600_000;

/** Their clocks jump, and some time later they jump back. */
function stepped(
  nodes: readonly ChaosNode[],
  { terms }: Stage,
  { dice, lasts }: { dice: Dice; lasts: number },
): Strike {
  const size = dice.pick([terms.ttl / 2, 2 * terms.ttl, HOUR]) * dice.pick([1, -1]);
  return {
    where: names(nodes),
    lasts,
    begin: async () => void (await Promise.all(nodes.map((node) => node.setClock(size)))),
    end: async () => void (await Promise.all(nodes.map((node) => node.setClock(0)))),
  };
}

/** So long that the clock is right again before the node votes again. */
function short({ terms: { maxTtl } }: Stage, dice: Dice): { dice: Dice; lasts: number } {
  return { dice, lasts: dice.between(50, maxTtl * 0.8) };
}

export const clockStep: Nemesis = {
  name: 'clock-step',
  title: "a node's wall clock is stepped, and set right again",
  needsClocks: true,
  plan: (stage, dice) => stepped([dice.pick(stage.nodes)], stage, short(stage, dice)),
};

export const clockStepMost: Nemesis = {
  name: 'clock-step-most',
  title: 'the wall clocks of a majority are stepped at once, and set right again',
  needsClocks: true,
  weight: 0.5,
  plan: (stage, dice) => stepped(dice.some(majorityOf(stage), stage.nodes), stage, short(stage, dice)),
};

/** Fencing tokens are in order where the clocks agree within half of maxTtl. */
export const clockWrong: Nemesis = {
  name: 'clock-wrong',
  title: "a node's wall clock is stepped, and stays wrong while the node votes",
  needsClocks: true,
  isBeyond: true,
  plan: (stage, dice) => {
    const lasts = dice.between(2, 4) * stage.terms.maxTtl;
    return stepped([dice.pick(stage.nodes)], stage, { dice, lasts });
  },
};
