import { type Alarm, type Lane, type Message, type Note, type Span, type Trace } from '../events.js';

/** What part of a trace is drawn, and how large. */
export interface View {
  readonly width: number;
  /** The moment: what comes later is not drawn. */
  readonly time: number;
  readonly from: number;
  readonly to: number;
}

const ROW = 38;
const TOP = 12;
const AXIS = 22;
const RIGHT = 12;
/** Pixels that a letter takes, nearly. */
const LETTER = 6.4;
const RING = 9;
/** The half height of a bar. */
const BAR = 9;

/** Turns a trace into the content of an SVG element. */
class Drawing {
  readonly height: number;
  readonly #left: number;
  readonly #rows: ReadonlyMap<string, number>;
  /** The ends of texts at a height, so that texts do not lie on each other. */
  readonly #textEnds = new Map<number, number>();

  /** The texts of bars, which are above all bars. */
  readonly #barTexts: string[] = [];

  constructor(
    private readonly trace: Trace,
    private readonly view: View,
  ) {
    this.#rows = new Map(trace.lanes.map(({ id }, index) => [id, index]));
    const longest = Math.max(...trace.lanes.map(({ label }) => label.length));
    this.#left = 36 + longest * 8;
    this.height = TOP + ROW * trace.lanes.length + AXIS;
  }

  get svg(): string {
    const { trace, view } = this;
    const isSeen = ({ from, to }: Pick<Span, 'from' | 'to'>): boolean => from <= view.time && to >= view.from;
    const notes = trace.notes.filter(({ at }) => at <= view.time && at >= view.from);
    const spans = trace.spans.filter(isSeen).map((span) => this.#span(span));
    return [
      this.#axis(),
      ...trace.lanes.map((lane) => this.#lane(lane)),
      ...trace.alarms.filter(isSeen).map((alarm) => this.#alarm(alarm)),
      ...spans,
      ...this.#barTexts,
      ...trace.messages.filter((one) => isSeen({ from: one.sent, to: endOf(one) })).map((one) => this.#message(one)),
      ...notes.map((note) => this.#note(note)),
      ...trace.lanes.map((lane) => this.#head(lane)),
      this.#cursor(),
    ].join('');
  }

  #x(time: number): number {
    const { from, to, width } = this.view;
    return this.#left + ((Math.min(Math.max(time, from), to) - from) / (to - from)) * (width - this.#left - RIGHT);
  }

  #y(lane: string): number {
    return TOP + ROW * (this.#rows.get(lane) ?? 0) + ROW / 2 + 4;
  }

  #axis(): string {
    const { from, to, width } = this.view;
    const most = Math.min(9, (width - this.#left) / 46);
    const step =
      [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000].find((ms) => (to - from) / ms <= most) ?? 5_000;
    const ticks: string[] = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = this.#x(at);
      const text = step < 1_000 ? `${Number((at / 1_000).toFixed(3))} s` : `${at / 1_000} s`;
      ticks.push(`<line class="tick" x1="${x}" x2="${x}" y1="${TOP}" y2="${this.height - AXIS + 4}"/>`);
      ticks.push(`<text class="time" x="${x}" y="${this.height - 4}" text-anchor="middle">${text}</text>`);
    }
    return ticks.join('');
  }

  #cursor(): string {
    const x = this.#x(this.view.time);
    return `<line class="cursor" x1="${x}" x2="${x}" y1="${TOP - 4}" y2="${this.height - AXIS + 4}"/>`;
  }

  #lane({ id, kind }: Lane): string {
    const y = this.#y(id);
    return `<line class="lane ${kind}" x1="${this.#left}" x2="${this.view.width - RIGHT}" y1="${y}" y2="${y}"/>`;
  }

  /** The name of a lane, its state, and how much of its lease or quarantine is left. */
  #head({ id, label, kind }: Lane): string {
    const { time } = this.view;
    const y = this.#y(id);
    const isNow = ({ lane, from, to }: Span): boolean => lane === id && from <= time && time < to;
    const lease = this.trace.leases.findLast(isNow);
    const states = this.trace.spans.filter((span) => isNow(span) && (span.kind === 'down' || span.kind === 'frozen'));
    const state = states.at(-1)?.kind ?? '';
    const round = 2 * Math.PI * RING;
    const left = lease === undefined ? 0 : (lease.to - time) / (lease.to - lease.from);
    const ring = `<circle class="ring-left ${lease?.kind}" cx="16" cy="${y}" r="${RING}" stroke-dasharray="${left * round} ${round}" transform="rotate(-90 16 ${y})"/>`;
    const sign =
      state === 'down'
        ? `<path class="sign bad" d="M12 ${y - 4}l8 8m0 -8l-8 8"/>`
        : state === 'frozen'
          ? `<path class="sign cold" d="M13.5 ${y - 4}v8m5 -8v8"/>`
          : `<circle class="dot ${kind}" cx="16" cy="${y}" r="4"/>`;
    return (
      `<rect class="cover" x="0" y="${y - ROW / 2}" width="${this.#left - 4}" height="${ROW}"/>` +
      `<circle class="ring" cx="16" cy="${y}" r="${RING}"/>${lease ? ring : ''}${sign}` +
      `<text class="name" x="32" y="${y + 4.5}">${escape(label)}</text>`
    );
  }

  #alarm({ from, to, text }: Alarm): string {
    const [x, end] = [this.#x(from), this.#x(Math.min(to, this.view.time))];
    return `<rect class="alarm" x="${x}" y="${TOP - 6}" width="${Math.max(2, end - x)}" height="${this.height - AXIS - 4}"><title>${escape(text)}</title></rect>`;
  }

  #span(span: Span): string {
    const { time } = this.view;
    const to = Math.min(span.to, time);
    if (span.kind === 'waits') return this.#bar(span, to, 3);
    if (span.kind !== 'holds')
      return this.#bar(span, to, span.kind === 'works' || span.kind === 'quarantine' ? BAR : 12);
    const leases = this.trace.leases.filter(
      ({ lane, from }) => lane === span.lane && from >= span.from && from <= span.to && from <= time,
    );
    const valid = Math.max(span.from, ...leases.map((lease) => lease.to));
    const holds = this.#bar(span, Math.min(valid, to), BAR);
    if (valid >= to) return holds;
    return this.#bar({ ...span, kind: 'works', from: valid, label: 'over' }, to, BAR, 'over') + holds;
  }

  #bar({ lane, kind, from, label }: Span, to: number, half: number, name: string = kind): string {
    const [x, end, y] = [this.#x(from), this.#x(to), this.#y(lane)];
    const width = Math.max(1.5, end - x);
    // A server stands still while it has a lock: the two texts begin at different ends.
    const place = kind === 'frozen' ? `text-anchor="end" x="${end - 6}"` : `x="${x + 7}"`;
    const isFree = kind === 'frozen' || x >= (this.#textEnds.get(y) ?? 0);
    if (label.length * LETTER + 10 < width && half >= BAR && isFree) {
      this.#barTexts.push(`<text class="in ${name}" ${place} y="${y + 4}">${escape(label)}</text>`);
      this.#textEnds.set(y, x + label.length * LETTER + 8);
    }
    return `<rect class="bar ${name}" x="${x}" y="${y - half}" width="${width}" height="${2 * half}" rx="3"/>`;
  }

  #message(message: Message): string {
    const { time } = this.view;
    if (!this.#rows.has(message.from) || !this.#rows.has(message.to)) return '';
    const end = message.lost ?? message.arrived ?? Infinity;
    const share = Math.min(1, (Math.min(time, end) - message.sent) / (endOf(message) - message.sent));
    const reach = message.lost === undefined ? 1 : 0.8;
    const [x1, y1] = [this.#x(message.sent), this.#y(message.from)];
    const x2 = x1 + (this.#x(endOf(message)) - x1) * share * reach;
    const y2 = y1 + (this.#y(message.to) - y1) * share * reach;
    const isOnWay = time < end;
    const kind = `${message.tone} ${message.isQuiet ? 'quiet' : ''} ${isOnWay ? 'on-way' : ''}`;
    const dot = isOnWay
      ? `<circle class="flies ${kind}" data-message="${message.id}" cx="${x2}" cy="${y2}" r="6"/>`
      : '';
    const cross =
      message.lost !== undefined && !isOnWay ? `<path class="lost" d="M${x2 - 5} ${y2 - 5}l10 10m0 -10l-10 10"/>` : '';
    return `<line class="way ${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>${cross}${dot}${this.#said(message, x2, share)}`;
  }

  /** The text of a message beside its beginning: on the left of a question, on the right of an answer. */
  #said({ from, to, label, isQuiet, sent, lost, tone }: Message, x2: number, share: number): string {
    if (isQuiet || share < 0.4) return '';
    const isDown = this.#y(to) > this.#y(from);
    const text = lost !== undefined && this.view.time >= lost ? `${label} (lost)` : label;
    const x = isDown ? this.#x(sent) - text.length * LETTER + 2 : (this.#x(sent) + x2) / 2 + 8;
    const y = this.#y(from) + (isDown ? 23 : -14);
    return this.#text(text, { x, y, tone: lost === undefined ? tone : 'bad' });
  }

  #note({ at, lane, text, tone }: Note): string {
    const row = this.trace.lanes[this.#rows.get(lane) ?? -1];
    if (row === undefined) return '';
    const [x, y] = [this.#x(at), this.#y(lane)];
    const mark = `<circle class="note ${tone}" cx="${x}" cy="${y}" r="4"/>`;
    const says = (row.kind === 'store' || row.kind === 'person') && !text.startsWith('takes');
    return says ? mark + this.#text(text, { x: x + 7, y: y + (row.kind === 'store' ? 21 : -9), tone }) : mark;
  }

  /** Leaves out a text that would lie on another one, and moves one to the left that would leave the drawing. */
  #text(text: string, place: { readonly x: number; readonly y: number; readonly tone: string }): string {
    const width = text.length * LETTER;
    // Below zero, because the texts of bars have the heights of their lanes.
    const track = Math.round(place.y / 12) - 1_000;
    const x = Math.max(this.#left, Math.min(place.x, this.view.width - 4 - width));
    if (x < (this.#textEnds.get(track) ?? 0) - 1) return '';
    this.#textEnds.set(track, x + width + 4);
    return `<text class="said ${place.tone}" x="${x}" y="${place.y}">${escape(text)}</text>`;
  }
}

function endOf({ sent, arrived, lost }: Message): number {
  return arrived ?? lost ?? sent + 100;
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Returns the content of the SVG element, and its height. */
export function draw(trace: Trace, view: View): { readonly svg: string; readonly height: number } {
  const drawing = new Drawing(trace, view);
  return { svg: drawing.svg, height: drawing.height };
}
