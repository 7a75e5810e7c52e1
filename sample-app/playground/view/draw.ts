import { type Alarm, type Lane, type Message, type Note, type Span, type SpanKind, type Trace } from '../events.js';
import { fold, textOf, type Bar } from '../fold.js';

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
/** The half heights of bars. */
const BAR = 9;
const HALF: Readonly<Partial<Record<SpanKind, number>>> = { waits: 3, refused: 3, way: 1.5, frozen: 12, down: 12 };
/** Bad ways of a lane are drawn so far above it. */
const WAYS_ABOVE = 15.5;
/** Pixels: what is nearer is drawn as one. */
const NEAR = 2;
/** Of more messages, those between the same lanes are drawn with so much room that there are not many more. */
const MOST_MESSAGES = 800;
const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000];

/** Turns a trace into the content of an SVG element. */
class Drawing {
  readonly height: number;
  /** What each bar says that stands for several spans. */
  readonly folded: string[] = [];
  readonly #left: number;
  readonly #rows: ReadonlyMap<string, number>;
  /** Where there are texts at a height, so that texts do not lie on each other. */
  readonly #texts = new Map<number, (readonly [from: number, to: number])[]>();
  readonly #drawn = new Set<string>();
  /** By lane. */
  readonly #leases = new Map<string, Span[]>();
  /** The texts of bars, which are above all bars. */
  readonly #barTexts: string[] = [];

  constructor(
    private readonly trace: Trace,
    private readonly view: View,
  ) {
    this.#rows = new Map(trace.lanes.map(({ id }, index) => [id, index]));
    for (const lease of trace.leases) {
      const list = this.#leases.get(lease.lane);
      if (list === undefined) this.#leases.set(lease.lane, [lease]);
      else list.push(lease);
    }
    const longest = Math.max(...trace.lanes.map(({ label }) => label.length));
    this.#left = 36 + longest * 8;
    this.height = TOP + ROW * trace.lanes.length + AXIS;
  }

  get svg(): string {
    const { trace, view } = this;
    const isSeen = ({ from, to }: Pick<Span, 'from' | 'to'>): boolean => from <= view.time && to >= view.from;
    const notes = trace.notes.filter(({ at }) => at <= view.time && at >= view.from);
    const spans = trace.spans
      .filter(isSeen)
      .flatMap((span) => this.#parts(span))
      .filter(isSeen);
    const bars = fold(spans, NEAR * this.#msPerPixel).map((bar) => this.#bar(bar));
    const messages = trace.messages.filter((one) => isSeen({ from: one.sent, to: endOf(one) }));
    const room = this.#roomOf(messages);
    // What is wrong gets the room for its text first.
    const bad = notes.filter(({ tone }) => tone === 'bad').map((note) => this.#note(note));
    return [
      this.#calm(),
      this.#axis(),
      ...trace.lanes.map((lane) => this.#lane(lane)),
      ...trace.alarms.filter(isSeen).map((alarm) => this.#alarm(alarm)),
      ...bars,
      ...messages.map((one) => this.#message(one, room)),
      ...notes.filter(({ tone }) => tone !== 'bad').map((note) => this.#note(note)),
      ...bad,
      ...this.#barTexts,
      ...trace.lanes.map((lane) => this.#head(lane)),
      this.#cursor(),
    ].join('');
  }

  get #msPerPixel(): number {
    const { from, to, width } = this.view;
    return (to - from) / (width - this.#left - RIGHT);
  }

  #x(time: number): number {
    const { from, to, width } = this.view;
    const share = (Math.min(Math.max(time, from), to) - from) / (to - from);
    return tenth(this.#left + share * (width - this.#left - RIGHT));
  }

  /** The moment at a place of the drawing. */
  timeAt(x: number): number {
    return this.view.from + (x - this.#left) * this.#msPerPixel;
  }

  #y(lane: string): number {
    return TOP + ROW * (this.#rows.get(lane) ?? 0) + ROW / 2 + 4;
  }

  #axis(): string {
    const { from, to, width } = this.view;
    const mostOf = (ms: number): number => Math.min(9, (width - this.#left) / (ms < 100 ? 60 : 46));
    const step = TICKS.find((ms) => (to - from) / ms <= mostOf(ms)) ?? TICKS.at(-1)!;
    const ticks: string[] = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = this.#x(at);
      const text = step < 1_000 ? `${Number((at / 1_000).toFixed(3))} s` : `${at / 1_000} s`;
      ticks.push(`<line class="tick" x1="${x}" x2="${x}" y1="${TOP}" y2="${this.height - AXIS + 4}"/>`);
      const middle = Math.min(x, width - (LETTER / 2) * text.length);
      ticks.push(`<text class="time" x="${middle}" y="${this.height - 4}" text-anchor="middle">${text}</text>`);
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
    return `<rect class="alarm" x="${x}" y="${TOP - 6}" width="${Math.max(2, end - x)}" height="${this.height - AXIS - 4}"/>${this.#text(text, { x: x + 4, y: TOP - 1, tone: 'bad' })}`;
  }

  #calm(): string {
    const { calm } = this.trace;
    if (calm === undefined || calm.from > this.view.time) return '';
    const [x, end] = [this.#x(calm.from), this.#x(calm.to)];
    return `<rect class="calm" x="${x}" y="${TOP - 6}" width="${end - x}" height="${this.height - AXIS - 4}"><title>${escape(calm.label)}</title></rect>`;
  }

  /** What is seen of a span until now, and apart from it the time in which its lease is over. */
  #parts(span: Span): readonly Span[] {
    const to = Math.min(span.to, this.view.time);
    if (span.kind !== 'holds') return [{ ...span, to }];
    const isOwn = ({ from }: Span): boolean => from >= span.from && from <= span.to && from <= this.view.time;
    const leases = (this.#leases.get(span.lane) ?? []).filter(isOwn);
    const valid = leases.length === 0 ? to : Math.max(span.from, ...leases.map((lease) => lease.to));
    const holds = { ...span, to: Math.min(valid, to) };
    if (valid >= to) return [holds];
    return [holds, { ...span, kind: 'over', from: valid, to, label: 'lease over' }];
  }

  #bar(bar: Bar): string {
    const { lane, kind, from, to, count } = bar;
    const half = HALF[kind] ?? BAR;
    const [x, end, y] = [this.#x(from), this.#x(to), this.#y(lane) - (kind === 'way' ? WAYS_ABOVE : 0)];
    const width = Math.max(1.5, tenth(end - x));
    const text = textOf(bar);
    if (half >= BAR) this.#barText(bar, text, { x, end, y });
    if (count > 1) this.folded.push(`${this.trace.lanes[this.#rows.get(lane) ?? -1]?.label}: ${text}`);
    const isFolded = count > 1 ? ` data-span="${Math.floor(from)} ${Math.ceil(to)}"` : '';
    const title = text === '' ? '' : `<title>${escape(text)}</title>`;
    return `<rect class="bar ${kind}"${isFolded} x="${x}" y="${y - half}" width="${width}" height="${2 * half}" rx="3">${title}</rect>`;
  }

  #barText(
    { kind }: Bar,
    text: string,
    { x, end, y }: { readonly x: number; readonly end: number; readonly y: number },
  ) {
    const isWithin = text.length * LETTER + 10 < end - x;
    // The names of faults are needed, and most faults are short.
    if (!isWithin && kind !== 'fault') return;
    // A server may be paused while it has a lock: the two texts begin at different ends.
    const isAtEnd = kind === 'frozen';
    const length = text.length * LETTER;
    const start = isAtEnd ? end - length - 6 : isWithin ? x + 7 : end + 3;
    if (start + length > this.view.width || !this.#takeRoom(y, start, start + length)) return;
    const place = isAtEnd ? `text-anchor="end" x="${end - 6}"` : `x="${start}"`;
    this.#barTexts.push(`<text class="in ${kind}" ${place} y="${y + 4}">${escape(text)}</text>`);
  }

  /** How many pixels each message between two lanes has for itself. */
  #roomOf(messages: readonly Message[]): number {
    if (messages.length <= MOST_MESSAGES) return NEAR;
    const kinds = new Set(messages.map(({ from, to, tone }) => `${from} ${to} ${tone}`));
    return Math.max(NEAR, (this.view.width * kinds.size) / MOST_MESSAGES);
  }

  #message(message: Message, room: number): string {
    const { time } = this.view;
    if (!this.#rows.has(message.from) || !this.#rows.has(message.to)) return '';
    const end = message.lost ?? message.arrived ?? Infinity;
    const share = Math.min(1, (Math.min(time, end) - message.sent) / (endOf(message) - message.sent));
    const reach = message.lost === undefined ? 1 : 0.8;
    const [x1, y1] = [this.#x(message.sent), this.#y(message.from)];
    const x2 = tenth(x1 + (this.#x(endOf(message)) - x1) * share * reach);
    const y2 = tenth(y1 + (this.#y(message.to) - y1) * share * reach);
    const isOnWay = time < end;
    const kind = `${message.tone} ${message.isQuiet ? 'quiet' : ''} ${isOnWay ? 'on-way' : ''}`;
    const dot = isOnWay
      ? `<circle class="flies ${kind}" data-message="${message.id}" cx="${x2}" cy="${y2}" r="6"/>`
      : '';
    const cross =
      message.lost !== undefined && !isOnWay ? `<path class="lost" d="M${x2 - 5} ${y2 - 5}l10 10m0 -10l-10 10"/>` : '';
    const places = [x1, room === NEAR ? x2 : 0].map((x) => Math.round(x / room));
    if (!isOnWay && this.#isDrawn(`${message.from} ${message.to} ${kind} ${places.join(' ')}`)) return '';
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

  #note({ at, lane, text, tone, isInTableOnly }: Note): string {
    if (isInTableOnly) return '';
    const row = this.trace.lanes[this.#rows.get(lane) ?? -1];
    if (row === undefined) return '';
    const [x, y] = [this.#x(at), this.#y(lane)];
    const mark = this.#isDrawn(`${lane} ${tone} ${Math.round(x / NEAR)}`)
      ? ''
      : `<circle class="note ${tone}" cx="${x}" cy="${y}" r="4"/>`;
    const says = (row.kind === 'store' || row.kind === 'person') && tone !== 'plain';
    return says ? mark + this.#text(text, { x: x + 7, y: y + (row.kind === 'store' ? 21 : -9), tone }) : mark;
  }

  /** Whether the same was drawn at nearly the same place. */
  #isDrawn(what: string): boolean {
    const isOld = this.#drawn.has(what);
    this.#drawn.add(what);
    return isOld;
  }

  /** Whether there is room for a text at a height; if so, it is taken. */
  #takeRoom(height: number, from: number, to: number): boolean {
    const texts = this.#texts.get(height) ?? [];
    if (texts.some(([start, end]) => from < end && start < to)) return false;
    this.#texts.set(height, [...texts, [from, to]]);
    return true;
  }

  /** Leaves out a text that would lie on another one, and moves or narrows one that would leave the drawing. */
  #text(text: string, place: { readonly x: number; readonly y: number; readonly tone: string }): string {
    const width = text.length * LETTER;
    // Below zero, because the texts of bars have the heights of their lanes.
    const track = Math.round(place.y / 12) - 1_000;
    const end = this.view.width - 4;
    const x = Math.max(this.#left, Math.min(place.x, end - width));
    if (!this.#takeRoom(track, x + 1, x + width + 4)) return '';
    const room = end - this.#left;
    const start = `x="${x}"${width > room ? ` textLength="${room}" lengthAdjust="spacingAndGlyphs"` : ''}`;
    const where = width <= room && place.x + width > end ? `x="${end}" text-anchor="end"` : start;
    return `<text class="said ${place.tone}" ${where} y="${place.y}">${escape(text)}</text>`;
  }
}

/** More digits of a place would not be seen, and a drawing of thousands of lines takes longer with them. */
function tenth(place: number): number {
  return Math.round(10 * place) / 10;
}

function endOf({ sent, arrived, lost }: Message): number {
  return arrived ?? lost ?? sent + 100;
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** The content of an SVG element. */
export interface Drawn {
  readonly svg: string;
  readonly height: number;
  /** What each bar says that stands for several spans. */
  readonly folded: readonly string[];
  /** The moment at a place of the drawing, in pixels from its left. */
  timeAt(x: number): number;
}

export function draw(trace: Trace, view: View): Drawn {
  const drawing = new Drawing(trace, view);
  const { svg, height, folded } = drawing;
  return { svg, height, folded, timeAt: (x) => drawing.timeAt(x) };
}
