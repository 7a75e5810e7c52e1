import { WEAKNESSES, type Action, type Deed } from '../actions.js';
import { seconds, type Message, type Trace } from '../events.js';
import type { Weakness } from '../recorder.js';
import { NODES, SERVERS } from '../scenes/free.js';
import { element } from './element.js';

/** What a reader may ask of the page. */
export interface FreeListener {
  act(deed: Deed, target: string): void;
  undo(action: Action): void;
  fork(): void;
  /** Removes the fork. */
  join(): void;
}

const RULES: Readonly<Record<Weakness, string>> = {
  lock: 'the lock',
  quarantine: 'the quarantine',
  fence: 'the fence',
};
const MOST_MESSAGES = 8;

/** The buttons of the free part. */
export class FreeControls {
  readonly element: HTMLElement;
  readonly #done = element('ul', { class: 'done' });
  readonly #flying = element('ul', { class: 'done' });
  readonly #rules = new Map<Weakness, HTMLInputElement>();
  readonly #fork: HTMLButtonElement;
  readonly #holder: HTMLButtonElement;
  #trace: Trace | undefined;
  #listed = '';
  #hasFork = false;

  constructor(private readonly listener: FreeListener) {
    this.#fork = button('Fork here', () => (this.#hasFork ? listener.join() : listener.fork()));
    this.#holder = button('Freeze the holder for 5 s', () => this.#freezeHolder());
    this.element = element(
      'div',
      { class: 'controls' },
      this.#breaking(),
      element('div', { class: 'two' }, this.#taking(), this.#doing()),
      group('On its way now', element('p', {}, 'Drop a message here, or click its dot.'), this.#flying),
    );
  }

  show(trace: Trace, actions: readonly Action[], hasFork: boolean): void {
    this.#trace = trace;
    this.#hasFork = hasFork;
    this.#fork.textContent = hasFork ? 'Remove the fork' : 'Fork here';
    for (const [rule, box] of this.#rules)
      box.checked = actions.some(({ deed, target }) => deed === 'without' && target === rule);
    const items = actions.map((action) =>
      element(
        'li',
        {},
        `${seconds(action.at)}: ${nameOf(action)} `,
        button('Undo', () => this.listener.undo(action), `Undo ${nameOf(action)}`),
      ),
    );
    this.#done.replaceChildren(...(items.length > 0 ? items : [element('li', {}, 'Nothing yet.')]));
    this.#listed = '';
  }

  moveTo(time: number, isMoving: boolean): void {
    this.#holder.disabled = holderAt(this.#trace, time) === undefined;
    this.#holder.dataset['time'] = String(time);
    // A list that changes all the time cannot be read.
    const flying = isMoving ? [] : flyingAt(this.#trace, time).slice(0, MOST_MESSAGES);
    const listed = `${isMoving} ${flying.map(({ id }) => id).join(' ')}`;
    if (listed === this.#listed) return;
    this.#listed = listed;
    const empty = isMoving ? 'Pause to see them.' : 'No message. Step on.';
    const items = flying.map((message) => {
      const text = `${this.#nameOf(message.from)} to ${this.#nameOf(message.to)}: ${message.label}`;
      return element(
        'li',
        {},
        `${text} `,
        button('Drop', () => this.listener.act('drop', String(message.id)), `Drop ${text}`),
      );
    });
    this.#flying.replaceChildren(...(items.length > 0 ? items : [element('li', {}, empty)]));
  }

  #nameOf(lane: string): string {
    return this.#trace?.lanes.find(({ id }) => id === lane)?.label ?? lane;
  }

  #freezeHolder(): void {
    const server = holderAt(this.#trace, Number(this.#holder.dataset['time']));
    if (server !== undefined) this.listener.act('freeze-server', server);
  }

  #breaking(): HTMLElement {
    const act = (deed: Deed, target: number, text: string, what: string): HTMLButtonElement =>
      button(text, () => this.listener.act(deed, String(target)), `${text} ${what}`);
    const nodes = Array.from({ length: NODES }, (_, at) => {
      const name = `Node ${at + 1}`;
      const buttons = [
        act('stop-node', at, 'Stop', name),
        act('freeze-node', at, 'Freeze', name),
        act('restart-node', at, 'Restart', name),
      ];
      return element('li', {}, element('span', {}, name), ...buttons);
    });
    const servers = Array.from({ length: SERVERS }, (_, at) => {
      const name = `Server ${at + 1}`;
      return element(
        'li',
        {},
        element('span', {}, name),
        act('freeze-server', at, 'Freeze', name),
        act('stop-server', at, 'Crash', name),
      );
    });
    return group('Break something now', this.#holder, element('ul', { class: 'grid' }, ...nodes, ...servers));
  }

  #doing(): HTMLElement {
    const text = 'A fork keeps the drawing above, and starts again from this moment.';
    return group('What you did', this.#done, element('p', {}, text), this.#fork);
  }

  #taking(): HTMLElement {
    const boxes = WEAKNESSES.map((rule) => {
      const box = element('input', {
        type: 'checkbox',
        id: `without-${rule}`,
        change: () => this.listener.act('without', rule),
      });
      this.#rules.set(rule, box);
      return element('li', {}, box, ' ', element('label', { for: `without-${rule}` }, `without ${RULES[rule]}`));
    });
    return group('Take a rule away', element('ul', { class: 'plain' }, ...boxes));
  }
}

function group(name: string, ...children: readonly HTMLElement[]): HTMLElement {
  return element('fieldset', {}, element('legend', {}, name), ...children);
}

export function button(text: string, click: () => void, name = text): HTMLButtonElement {
  return element('button', { type: 'button', ...(name === text ? {} : { 'aria-label': name }), click }, text);
}

function flyingAt(trace: Trace | undefined, time: number): readonly Message[] {
  const { messages = [] } = trace ?? {};
  return messages.filter(({ sent, arrived, lost }) => sent <= time && time < (lost ?? arrived ?? sent));
}

/** The number of the server that has the lock. */
function holderAt(trace: Trace | undefined, time: number): string | undefined {
  const span = trace?.spans.findLast(({ kind, from, to }) => kind === 'holds' && from <= time && time < to);
  const servers = trace?.lanes.filter(({ kind }) => kind === 'app') ?? [];
  const at = servers.findIndex(({ id }) => id === span?.lane);
  return at < 0 ? undefined : String(at);
}

function nameOf({ deed, target }: Action): string {
  const number = Number(target) + 1;
  const names: Readonly<Record<Deed, string>> = {
    'stop-node': `Node ${number} stopped`,
    'freeze-node': `Node ${number} frozen`,
    'restart-node': `Node ${number} restarted`,
    'freeze-server': `Server ${number} frozen`,
    'stop-server': `Server ${number} crashed`,
    drop: `message ${target} dropped`,
    without: `without the ${target}`,
  };
  return names[deed];
}
