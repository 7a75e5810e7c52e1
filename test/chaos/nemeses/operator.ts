import type { Redis } from 'ioredis';
import type { Dice } from '../dice.js';
import type { ChaosNode } from '../stage/chaos-node.js';
import type { Stage } from '../stage/stage.js';
import { majorityOf, names, type Nemesis, type Strike } from './nemesis.js';

function told(nodes: readonly ChaosNode[], order: (redis: Redis) => Promise<unknown>): Strike {
  return {
    where: names(nodes),
    lasts: 0,
    begin: async () => void (await Promise.all(nodes.map((node) => node.ask(order)))),
  };
}

function oneOrMost(stage: Stage, dice: Dice): ChaosNode[] {
  return dice.some(dice.pick([1, majorityOf(stage)]), stage.nodes);
}

export const flush: Nemesis = {
  name: 'flush',
  title: 'FLUSHALL on one node or on a majority',
  isForgetting: true,
  plan: (stage, dice) => told(oneOrMost(stage, dice), (redis) => redis.flushall()),
};

export const scriptFlush: Nemesis = {
  name: 'script-flush',
  title: 'SCRIPT FLUSH on one node or on a majority',
  plan: (stage, dice) => told(oneOrMost(stage, dice), (redis) => redis.script('FLUSH')),
};

export const killConnections: Nemesis = {
  name: 'kill-connections',
  title: 'CLIENT KILL of all connections, or of those that listen',
  plan(stage, dice) {
    const kind = dice.pick(['normal', 'pubsub']);
    return told(oneOrMost(stage, dice), (redis) => redis.call('CLIENT', 'KILL', 'TYPE', kind));
  },
};

/** Memory so small that nothing fits, until it is taken back. */
function short(policy: 'noeviction' | 'allkeys-random', node: ChaosNode, lasts: number): Strike {
  const set = (memory: string, eviction: string): Promise<unknown> =>
    node.ask((redis) => redis.call('CONFIG', 'SET', 'maxmemory', memory, 'maxmemory-policy', eviction));
  return {
    where: [node.name],
    lasts,
    begin: async () => void (await set('1', policy)),
    end: async () => void (await set('0', 'noeviction')),
  };
}

export const memoryFull: Nemesis = {
  name: 'memory-full',
  title: 'a node is out of memory and refuses to write',
  plan: ({ nodes }, dice) => short('noeviction', dice.pick(nodes), dice.between(100, 1_000)),
};

export const eviction: Nemesis = {
  name: 'eviction',
  title: 'a node out of memory evicts keys, in spite of the documentation',
  isForgetting: true,
  weight: 0.5,
  plan: ({ nodes }, dice) => short('allkeys-random', dice.pick(nodes), dice.between(20, 200)),
};
