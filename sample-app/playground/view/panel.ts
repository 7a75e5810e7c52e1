import { rowsOf, seconds, type Row } from '../events.js';
import type { Played } from '../scenes/scene.js';
import { draw, type Drawn } from './draw.js';
import { element } from './element.js';
import { Table } from './table.js';

/** How many of the bars that stand for several spans the text of a drawing names. */
const MOST_BARS = 8;
/** How many events of one moment the line below a drawing names. */
const MOST_EVENTS = 4;

/** What a panel needs of the page. */
export interface PanelOptions {
  readonly name: string;
  readonly tells: string;
  /** Ms of the world for each pixel. */
  readonly scale: number;
  readonly go: (time: number) => void;
  /** Called for a message in flight that was clicked. */
  readonly drop?: (message: number) => void;
}

/** One drawing with its name, its result, what happens now, and its table. */
export class Panel {
  readonly element: HTMLElement;
  played: Played | undefined;
  readonly #badge = element('strong', { class: 'badge' });
  readonly #svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  readonly #now = element('p', { class: 'now' });
  readonly #table: Table;
  #rows: readonly Row[] = [];
  #time = 0;
  #width = 0;
  #drawn: Drawn | undefined;
  /** Ms that are seen at once; undefined: what the scale of the panel says. */
  #seen: number | undefined;

  constructor(private readonly options: PanelOptions) {
    const { name, tells, go } = options;
    this.#table = new Table(name, go);
    this.#svg.setAttribute('role', 'img');
    this.#svg.addEventListener('click', (event) => this.#clicked(event));
    const head = element('div', { class: 'panel-head' }, element('h2', {}, name), this.#badge);
    const text = element('p', { class: 'tells' }, tells);
    this.element = element(
      'section',
      { class: 'panel', 'aria-label': name },
      head,
      text,
      this.#svg,
      this.#now,
      this.#table.element,
    );
    new ResizeObserver(() => {
      const { clientWidth } = this.#svg;
      if (clientWidth === this.#width) return;
      this.#width = clientWidth;
      this.moveTo(this.#time);
    }).observe(this.#svg);
  }

  show(played: Played): void {
    this.played = played;
    this.#rows = rowsOf(played.trace).filter(({ isQuiet }) => !isQuiet);
    this.#table.show(played.trace);
    this.moveTo(this.#time);
  }

  /** Shows so many ms at once. */
  zoom(ms: number): void {
    this.#seen = ms;
    this.moveTo(this.#time);
  }

  get steps(): readonly number[] {
    return this.#rows.map(({ at }) => at + 0.5);
  }

  /** The end of what happens, ms. */
  get end(): number {
    return this.played?.trace.end ?? 0;
  }

  get isBroken(): boolean {
    return this.element.classList.contains('broken');
  }

  moveTo(time: number, isMoving = false): void {
    this.#time = time;
    // What changes all the time is not read out.
    this.#now.setAttribute('aria-live', isMoving ? 'off' : 'polite');
    if (this.played === undefined) return;
    this.#table.moveTo(time);
    const text = this.#latest(time);
    if (this.#now.textContent !== text) this.#now.textContent = text;
    this.#judge(this.played, time);
    this.#draw(this.played, time);
  }

  /** What has happened at the latest moment, as one line. */
  #latest(time: number): string {
    const last = this.#rows.findLast(({ at }) => at <= time + 0.5);
    if (last === undefined) return 'Nothing has happened yet.';
    const rows = this.#rows.filter(({ at }) => at > last.at - 1 && at <= last.at);
    const texts = rows.slice(-MOST_EVENTS).map(({ who, what }) => `${who}: ${what}`);
    const more = rows.length > MOST_EVENTS ? `; and ${rows.length - MOST_EVENTS} more` : '';
    return `${seconds(last.at)}, ${texts.join('; ')}${more}`;
  }

  #judge({ trace, tone, verdict }: Played, time: number): void {
    const last = this.#rows.at(-1)?.at ?? 0;
    const isOver = time >= Math.min(trace.end - 1, last);
    const alarm = trace.alarms.find(({ from }) => from <= time);
    const text = isOver ? verdict : (alarm?.text ?? 'No rule is broken so far');
    if (this.#badge.textContent !== text) this.#badge.textContent = text;
    this.#badge.className = `badge ${alarm ? 'bad' : isOver ? tone : 'plain'}`;
    this.element.classList.toggle('broken', alarm !== undefined || (isOver && tone === 'bad'));
  }

  #draw({ trace }: Played, time: number): void {
    const width = (this.#width ||= this.#svg.clientWidth);
    if (width === 0) return;
    const span = Math.min(trace.end, this.#seen ?? (width - 120) * this.options.scale);
    const from = Math.max(0, Math.min(time - 0.8 * span, trace.end - span));
    const { svg, height, folded } = (this.#drawn = draw(trace, { width, time, from, to: from + span }));
    this.#svg.setAttribute('height', String(height));
    const texts = [
      `${this.options.name}, at ${seconds(time)}. ${this.#badge.textContent}`,
      ...folded.slice(0, MOST_BARS),
    ];
    if (folded.length > MOST_BARS) texts.push(`${folded.length - MOST_BARS} more bars stand for several events each`);
    this.#svg.setAttribute('aria-label', texts.join('. '));
    this.#svg.innerHTML = svg;
  }

  #clicked({ target, clientX }: MouseEvent): void {
    if (!(target instanceof Element)) return;
    const message = target.getAttribute('data-message');
    if (message !== null) this.options.drop?.(Number(message));
    const span = target.getAttribute('data-span');
    if (span === null) return;
    const [from, to] = span.split(' ').map(Number) as [number, number];
    const clicked = this.#drawn!.timeAt(clientX - this.#svg.getBoundingClientRect().left);
    this.options.go(Math.min(Math.max(clicked, from), to));
    this.#table.open();
  }
}
