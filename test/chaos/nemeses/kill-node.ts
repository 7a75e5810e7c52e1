import type { Dice } from '../dice.js';
import type { ChaosNode } from '../stage/chaos-node.js';
import type { Stage } from '../stage/stage.js';
import { majorityOf, names, type Nemesis, type Strike } from './nemesis.js';

/** They are killed at once and come back empty after a while. */
function killed(nodes: readonly ChaosNode[], lasts: number): Strike {
  return {
    where: names(nodes),
    lasts,
    begin: async () => void (await Promise.all(nodes.map((node) => node.server.kill()))),
    end: async () => void (await Promise.all(nodes.map((node) => node.restart()))),
  };
}

export const killNode: Nemesis = {
  name: 'kill-node',
  title: 'a node is killed and restarted empty',
  isForgetting: true,
  weight: 2,
  plan: (stage: Stage, dice: Dice) => killed([dice.pick(stage.nodes)], dice.between(20, 800)),
};

export const killThree: Nemesis = {
  name: 'kill-three',
  title: 'a majority is killed at once and restarted empty',
  isForgetting: true,
  plan: (stage, dice) => killed(dice.some(majorityOf(stage), stage.nodes), dice.between(0, 60)),
};

export const killRolling: Nemesis = {
  name: 'kill-rolling',
  title: 'all nodes are killed and restarted, one after the other',
  isForgetting: true,
  weight: 0.5,
  plan: ({ nodes }) => ({
    where: names(nodes),
    lasts: 0,
    async begin() {
      for (const node of nodes) await node.restart();
    },
  }),
};

export const oldRdb: Nemesis = {
  name: 'old-rdb',
  title: 'nodes are restarted with a snapshot from a while ago',
  isForgetting: true,
  plan(stage, dice) {
    const nodes = dice.some(dice.pick([1, majorityOf(stage)]), stage.nodes);
    return {
      where: names(nodes),
      lasts: dice.between(100, 1_000),
      begin: async () => void (await Promise.all(nodes.map((node) => node.save()))),
      end: async () => void (await Promise.all(nodes.map((node) => node.restart({ old: true })))),
    };
  },
};
