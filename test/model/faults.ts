import type { Choices } from './choices.js';
import type { Process, SimulatedNode, World } from './world.js';

const FAULTS = ['down', 'forget', 'freeze', 'link', 'kill', 'pause', 'pause', 'link', 'longpause'];
const CLOCK_FAULTS = ['wall', 'wall', 'wall', 'suspend', 'suspend'];
/** How often a fault tries to let a node forget, and ms between. */
const FORGETS = 20;
const WAIT_TO_FORGET = 10;

/** What else the faults need to know of a world. */
interface Around {
  /** Starts a process in place of one that was killed. */
  start(): void;
  /** Whether a node may lose its memory now; undefined if it always may. */
  readonly mayForget?: ((node: number) => boolean) | undefined;
}

/** Breaks nodes, connections, processes and clocks at random. */
export class Faults {
  constructor(
    private readonly world: World,
    private readonly choices: Pick<Choices, 'nodes' | 'ttl' | 'wall' | 'faultRate' | 'length'>,
    private readonly around: Around,
  ) {}

  begin(): void {
    if (this.choices.faultRate > 0) this.world.after(100, () => this.#fault());
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.world.random() * list.length)]!;
  }

  #fault(): void {
    const { world } = this;
    const { choices } = this;
    if (world.time > choices.length * 0.7) return;
    const node = this.#pick(world.nodes);
    const process = this.#pick(world.processes);
    const ms = world.random() * 300;
    const kinds = choices.wall === 1 ? [...FAULTS, ...CLOCK_FAULTS] : FAULTS;
    const kind = this.#pick(kinds);
    if (kind === 'down') world.down(node, ms, false);
    if (kind === 'freeze') world.freeze(node, ms * 4);
    if (kind === 'forget') this.#forget(node, ms);
    if (kind === 'link') process.links[node.index]!.break(ms);
    if (kind === 'kill') this.#kill(process);
    if (kind === 'pause') world.pause(process, ms);
    if (kind === 'longpause') world.pause(process, choices.ttl * (0.5 + world.random()));
    if (kind === 'wall') this.#changeWallClock(process);
    // Not covered: a suspension, and a wall clock that is set back during the same lease.
    if (kind === 'suspend' && world.time > process.setBackAt + 4 * choices.ttl)
      world.suspend(process, choices.ttl * 2 * world.random());
    world.after((1_000 / choices.faultRate) * 2 * world.random(), () => this.#fault());
  }

  /** Records are only as safe as the memory of the nodes, and promises too: where there are some, a node forgets when it may. */
  #forget(node: SimulatedNode, ms: number, tries = FORGETS): void {
    const { world } = this;
    const { mayForget } = this.around;
    const away = world.nodes.filter(({ state, data }) => state !== 'up' || data.quarantine > 0).length;
    if (away >= (this.choices.nodes - 1) >> 1) return;
    if (mayForget?.(node.index) === false) {
      if (tries > 1) world.after(WAIT_TO_FORGET, () => this.#forget(node, ms, tries - 1));
      return;
    }
    // At once, so that nobody counts on what it has while it is down.
    if (mayForget !== undefined && node.state === 'up') node.data.clear(0);
    world.down(node, ms, true);
  }

  #kill(process: Process): void {
    const { world } = this;
    if (world.processes.filter(({ isDead }) => !isDead).length < 2) return;
    world.kill(process, world.random() < 0.7 ? 5 : 1_500);
    if (world.random() < 0.5) this.around.start();
  }

  #changeWallClock(process: Process): void {
    const { world } = this;
    const { ttl } = this.choices;
    const step = this.#pick([3_600_000, -3_600_000, -process.step, ttl * world.random(), -ttl * world.random()]);
    if (step <= 0 && world.time <= process.wokeAt + 4 * ttl) return;
    process.step += step;
    if (step < 0) process.setBackAt = world.time;
  }
}
