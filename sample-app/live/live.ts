import { byId, element } from '../playground/view/element.js';
import { Panel } from '../playground/view/panel.js';
import { Player } from '../playground/view/player.js';
import type { LiveEvent, NodeState, Outcome, Way } from './live-events.js';
import { NodeList } from './node-list.js';
import { RaceTrace } from './race-trace.js';

const WAYS: readonly { readonly way: Way; readonly name: string; readonly tells: string }[] = [
  { way: 'unsafe', name: 'No lock', tells: 'Every request looks for the address, finds nobody, and goes on.' },
  {
    way: 'locked',
    name: '@WithLock',
    tells: 'One request at a time. Those that come later find the user, and get 409.',
  },
  {
    way: 'once',
    name: '@Idempotent',
    tells: 'One request runs. The others get its answer: the same 201 and the same body.',
  },
];
/** Ms in which a race is played at speed 1. */
const PLAYED_IN = 6_000;

/** The live page. */
class Live {
  readonly #player = new Player();
  readonly #nodeList: NodeList;
  readonly #panels = new Map<Way, Panel>();
  /** The nodes that the page may break. */
  #nodes: readonly NodeState[] = [];
  #status: Pick<Extract<LiveEvent, { type: 'status' }>, 'nodes' | 'quorum'> = { nodes: [], quorum: 0 };
  #stage = { replicas: 0, ttl: 0 };
  #race: RaceTrace | undefined;
  #drawing = false;

  constructor() {
    this.#nodeList = new NodeList(
      byId('nodes'),
      byId('votes'),
      (node, deed) => void post(`live/nodes/${node}/${deed}`),
    );
    const buttons = WAYS.map(({ way, name }) =>
      element('button', { type: 'button', class: 'main', click: () => void this.#send([way]) }, name),
    );
    const all = (): void => void this.#send(WAYS.map(({ way }) => way));
    byId('ways').append(...buttons, element('button', { type: 'button', click: all }, 'All three'));
    byId('tools').hidden = true;
  }

  open(): void {
    const source = new EventSource('live/events');
    source.addEventListener('message', ({ data }) => this.#on(JSON.parse(String(data)) as LiveEvent));
    source.addEventListener('error', () => {
      byId('votes').textContent = 'No connection to the sample: is it running?';
    });
  }

  async #send(ways: readonly Way[]): Promise<void> {
    const { value } = byId('count') as HTMLSelectElement;
    for (const way of ways) await post(`live/race?way=${way}&count=${value}`);
  }

  #on(event: LiveEvent): void {
    if (event.type === 'nodes') {
      this.#nodes = event.nodes;
      this.#stage = event;
    } else if (event.type === 'status') this.#status = event;
    this.#nodeList.show(this.#nodes, this.#status);
    if (event.type === 'race') return this.#begin(event);
    this.#race?.add(event);
    if (event.type !== 'status') this.#draw();
    if (event.type === 'outcome') this.#end(event);
  }

  #begin(event: Extract<LiveEvent, { type: 'race' }>): void {
    this.#player.pause();
    const nodes = this.#nodes.length > 0 ? this.#nodes : this.#status.nodes.map(unnamed);
    this.#race = new RaceTrace(event, { ...this.#stage, nodes });
    if (!this.#panels.has(event.way)) this.#addPanel(event.way);
    this.#draw();
  }

  #addPanel(way: Way): void {
    const { name, tells } = WAYS.find((one) => one.way === way)!;
    this.#panels.set(way, new Panel({ name, tells, scale: Infinity, go: this.#player.visit }));
    this.#player.panels = WAYS.flatMap((one) => this.#panels.get(one.way) ?? []);
    byId('panels').replaceChildren(...this.#player.panels.map((panel) => panel.element));
  }

  /** Draws at most once for each picture of the screen. */
  #draw(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#show();
    });
  }

  #show(): void {
    if (this.#race === undefined) return;
    const panel = this.#panels.get(this.#race.way)!;
    const { played } = this.#race;
    panel.show(played);
    panel.moveTo(played.trace.end);
  }

  #end({ endpoint, count, users, bonuses, answers, ms }: Outcome): void {
    this.#show();
    const counts = Object.entries(answers).map(([status, each]) => `${each} × ${status}`);
    const cells = [endpoint, count, users, bonuses, counts.join(', '), `${Math.round(ms)} ms`];
    const row = element(
      'tr',
      { class: users > 1 ? 'bad' : '' },
      ...cells.map((cell) => element('td', {}, String(cell))),
    );
    byId('results').hidden = false;
    byId('results').querySelector('tbody')!.prepend(row);
    byId('tools').hidden = false;
    this.#player.load();
    this.#player.go();
    this.#player.baseRate = this.#player.time / PLAYED_IN;
  }
}

function unnamed(_: unknown, index: number): NodeState {
  return { name: `Node ${index + 1}`, state: 'up' };
}

async function post(address: string): Promise<void> {
  const response = await fetch(address, { method: 'POST' });
  if (!response.ok) byId('votes').textContent = `${response.status}: ${await response.text()}`;
}

new Live().open();
