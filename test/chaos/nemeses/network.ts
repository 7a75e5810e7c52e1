import type { Dice } from '../dice.js';
import type { Stage } from '../stage/stage.js';
import type { Way } from '../stage/way.js';
import { majorityOf, names, pathsOf, type Nemesis, type Path, type Strike } from './nemesis.js';

/** Sets something on these ways until they are healed. */
function disturbed(paths: readonly Path[], lasts: number, disturb: (way: Way) => void): Strike {
  return {
    where: names(paths),
    lasts,
    begin: () => paths.forEach(({ way }) => disturb(way)),
    end: () => paths.forEach(({ way }) => way.heal()),
  };
}

/** Some clients cannot reach some nodes, or not well. */
function somePaths(stage: Stage, dice: Dice): Path[] {
  const clients = dice.some(1 + dice.below(stage.clients.length), stage.clients);
  return pathsOf(clients, dice.some(dice.pick([1, 2, 3]), stage.nodes), stage);
}

export const blackhole: Nemesis = {
  name: 'blackhole',
  title: 'nothing passes on some ways, and nobody is told',
  plan: (stage, dice) => disturbed(somePaths(stage, dice), dice.between(100, 1_500), (way) => (way.blackhole = true)),
};

export const dropReplies: Nemesis = {
  name: 'drop-replies',
  title: 'requests arrive on some ways, and their replies are lost',
  weight: 2,
  plan: (stage, dice) => disturbed(somePaths(stage, dice), dice.between(100, 1_500), (way) => (way.dropReplies = true)),
};

export const slow: Nemesis = {
  name: 'slow',
  title: 'some ways are slow, up to longer than a lease',
  plan(stage, dice) {
    const [requests, replies] = [dice.between(0, 60), dice.pick([dice.between(0, 60), 1.2 * stage.terms.ttl])];
    return disturbed(somePaths(stage, dice), dice.between(200, 2_000), (way) => {
      way.requestDelay = requests;
      way.replyDelay = replies;
    });
  },
};

/** Ms: longer than a node may take to answer, and shorter than a lease. */
const LATE: readonly [number, number] = [150, 350];

/** Again and again, since what makes trouble is the beginning and the end of it, where late and new replies come together. */
export const lateReplies: Nemesis = {
  name: 'late-replies',
  title: 'requests arrive at once on some ways, and what nodes say is held up again and again for 150 to 350 ms',
  weight: 2,
  plan(stage, dice) {
    const clients = dice.some(1 + dice.below(stage.clients.length), stage.clients);
    const nodes = dice.some(dice.pick([majorityOf(stage), stage.nodes.length]), stage.nodes);
    const paths = pathsOf(clients, nodes, stage);
    const late = dice.between(...LATE);
    let timer: NodeJS.Timeout | undefined;
    const hold = (): void => paths.forEach(({ way }) => way.holdReplies(late));
    return {
      where: names(paths),
      lasts: dice.between(500, 3_000),
      begin: () => void (timer = setInterval(hold, 2 * late)),
      end() {
        clearInterval(timer);
        for (const { way } of paths) way.heal();
      },
    };
  },
};

/** One half of the clients sees 1, 2 and 3, the other half 3, 4 and 5. */
export const splitView: Nemesis = {
  name: 'split-view',
  title: 'clients are cut off from different minorities',
  plan(stage, dice) {
    const nodes = dice.some(stage.nodes.length, stage.nodes);
    const minority = Math.floor((nodes.length - 1) / 2);
    const clients = dice.some(stage.clients.length, stage.clients);
    const half = clients.length >> 1;
    const paths = [
      ...pathsOf(clients.slice(0, half), nodes.slice(-minority), stage),
      ...pathsOf(clients.slice(half), nodes.slice(0, minority), stage),
    ];
    return disturbed(paths, dice.between(300, 2_000), (way) => (way.blackhole = true));
  },
};

export const reset: Nemesis = {
  name: 'reset',
  title: 'connections are reset',
  plan(stage, dice) {
    const paths = somePaths(stage, dice);
    return { where: names(paths), lasts: 0, begin: () => paths.forEach(({ way }) => way.reset()) };
  },
};

/** What a client had sent on a connection that it has given up arrives after what it sends on the next one. */
export const zombieBytes: Nemesis = {
  name: 'zombie-bytes',
  title: 'the last requests of broken connections arrive late',
  plan(stage, dice) {
    const paths = somePaths(stage, dice);
    const late = dice.between(50, stage.terms.ttl);
    return {
      where: names(paths),
      lasts: dice.between(10, 60),
      begin: () => paths.forEach(({ way }) => (way.requestDelay = late)),
      end() {
        for (const { way } of paths) {
          way.orphan();
          way.heal();
        }
      },
    };
  },
};
