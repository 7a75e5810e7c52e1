import type { Dice } from '../dice.js';
import type { Stage } from '../stage/stage.js';
import { majorityOf, names, type Nemesis, type Strike } from './nemesis.js';

export const freezeNode: Nemesis = {
  name: 'freeze-node',
  title: 'nodes stand still (SIGSTOP)',
  weight: 2,
  plan(stage, dice) {
    const nodes = dice.some(dice.pick([1, 1, 2, majorityOf(stage)]), stage.nodes);
    return {
      where: names(nodes),
      lasts: dice.between(50, 2 * stage.terms.ttl),
      begin: async () => void (await Promise.all(nodes.map(({ server }) => server.freeze()))),
      end: async () => void (await Promise.all(nodes.map(({ server }) => server.thaw()))),
    };
  },
};

export const freezeClient: Nemesis = {
  name: 'freeze-client',
  title: 'client processes stand still (SIGSTOP), some beyond their lease',
  weight: 2,
  plan: (stage: Stage, dice: Dice): Strike => {
    const clients = dice.some(dice.pick([1, 1, 2]), stage.clients);
    return {
      where: names(clients),
      lasts: dice.between(100, 2 * stage.terms.ttl),
      begin: () => clients.forEach((client) => client.process.freeze()),
      end: () => clients.forEach((client) => client.process.thaw()),
    };
  },
};

export const blockClient: Nemesis = {
  name: 'block-client',
  title: 'the event loop of a client is blocked',
  plan(stage, dice) {
    const client = dice.pick(stage.clients);
    const lasts = dice.between(50, 1.5 * stage.terms.ttl);
    return {
      where: [client.name],
      lasts,
      isUnstoppable: true,
      begin: () => client.process.order({ do: 'block', ms: lasts }),
    };
  },
};

export const killClient: Nemesis = {
  name: 'kill-client',
  title: 'a client process is killed, and another takes its place',
  weight: 0.5,
  plan(stage, dice) {
    const client = dice.pick(stage.clients);
    return {
      where: [client.name],
      lasts: dice.between(20, 300),
      begin: () => client.process.kill(),
      end: () => client.revive(),
    };
  },
};
