import { rowsOf, seconds, type Row, type Trace } from '../events.js';
import { element } from './element.js';

/** How many rows are shown at once. */
const SHOWN = 40;
let tables = 0;

/** All that happened, as text: everything in the drawing is here. */
export class Table {
  readonly element: HTMLDetailsElement;
  readonly #body = element('tbody');
  readonly #caption: HTMLElement;
  readonly #all: HTMLInputElement;
  readonly #choice: HTMLElement;
  #rows: readonly Row[] = [];
  #trace: Trace | undefined;
  #time = 0;
  #shown = '';

  constructor(
    name: string,
    private readonly go: (time: number) => void,
  ) {
    const id = `all-messages-${(tables += 1)}`;
    this.#all = element('input', { type: 'checkbox', id, change: () => this.#reload() });
    this.#caption = element('caption', {}, `Events: ${name}`);
    const label = element('label', { for: id }, 'With all messages between servers and nodes');
    this.#choice = element('p', {}, this.#all, ' ', label);
    const heads = ['Time', 'Who', 'What'].map((text) => element('th', { scope: 'col' }, text));
    const table = element('table', {}, this.#caption, element('thead', {}, element('tr', {}, ...heads)), this.#body);
    this.element = element(
      'details',
      { class: 'events', toggle: () => this.#render() },
      element('summary', {}, 'Events as a table'),
      this.#choice,
      element('div', { class: 'scrolls', tabindex: '0', role: 'region', 'aria-label': `Events: ${name}` }, table),
    );
  }

  show(trace: Trace): void {
    this.#trace = trace;
    this.#reload();
  }

  moveTo(time: number): void {
    this.#time = time;
    if (this.element.open) this.#render();
  }

  /** Opens the table at the moment that is shown. */
  open(): void {
    this.element.open = true;
    this.#render();
    const row = this.#body.querySelector('[aria-current]') ?? this.element;
    row.scrollIntoView({ block: 'center' });
  }

  #reload(): void {
    if (this.#trace === undefined) return;
    const rows = rowsOf(this.#trace);
    this.#rows = rows.filter(({ isQuiet }) => !isQuiet || this.#all.checked);
    this.#choice.hidden = !rows.some(({ isQuiet }) => isQuiet);
    this.#shown = '';
    if (this.element.open) this.#render();
  }

  #render(): void {
    const now = this.#rows.findLastIndex(({ at }) => at <= this.#time + 0.5);
    const first = Math.max(0, Math.min(now - SHOWN / 2, this.#rows.length - SHOWN));
    const shown = `${now} ${first} ${this.#rows.length}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    const focused = document.activeElement?.getAttribute('data-row');
    const rows = this.#rows.slice(first, first + SHOWN).map((row, index) => this.#row(row, first + index, now));
    this.#body.replaceChildren(...rows);
    if (focused) this.#body.querySelector<HTMLElement>(`[data-row="${focused}"]`)?.focus();
  }

  #row({ at, who, what, tone }: Row, index: number, now: number): HTMLTableRowElement {
    const name = `Go to ${seconds(at)}`;
    const jump = element(
      'button',
      { type: 'button', class: 'time', 'data-row': String(index), 'aria-label': name, click: () => this.go(at + 0.5) },
      seconds(at),
    );
    const given = {
      class: `${tone} ${index > now ? 'later' : ''}`,
      ...(index === now ? { 'aria-current': 'true' } : {}),
    };
    return element('tr', given, element('td', {}, jump), element('td', {}, who), element('td', {}, what));
  }
}
