/** How something is shown: well, wrong, waiting, or neither. */
export type Tone = 'plain' | 'good' | 'bad' | 'wait';

/** Who takes part: one line of the drawing. */
export interface Lane {
  readonly id: string;
  readonly label: string;
  readonly kind: 'person' | 'app' | 'node' | 'store';
}

/** Something that happened on a lane. Ms. */
export interface Note {
  readonly at: number;
  readonly lane: string;
  readonly text: string;
  readonly tone: Tone;
  /** Whether only the table tells it, because a bar shows it. */
  readonly isInTableOnly?: boolean;
}

/** One way of a message. */
export interface Message {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  label: string;
  tone: Tone;
  readonly sent: number;
  /** Undefined: it is lost, or still on its way at the end. */
  arrived: number | undefined;
  /** Ms at which it is lost. */
  lost: number | undefined;
  /** Whether it is one of the many between a server and the nodes. */
  readonly isQuiet: boolean;
}

/** `over`: works although its lease is over; `refused`: waits, and gets no lock; `way`: some of its ways to the nodes are bad. */
export type SpanKind =
  'holds' | 'waits' | 'refused' | 'frozen' | 'down' | 'quarantine' | 'works' | 'over' | 'fault' | 'way';

/** A state of a lane from a time to a time. */
export interface Span {
  readonly lane: string;
  readonly kind: SpanKind;
  readonly from: number;
  to: number;
  label: string;
}

/** Time in which a rule is broken. */
export interface Alarm {
  readonly from: number;
  to: number;
  readonly text: string;
}

/** What happened in a world: the table shows it as text, the drawing as a picture. */
export interface Trace {
  readonly lanes: readonly Lane[];
  readonly notes: readonly Note[];
  readonly messages: readonly Message[];
  readonly spans: readonly Span[];
  /** Ends of leases: what the rings show. */
  readonly leases: readonly Span[];
  readonly alarms: readonly Alarm[];
  /** Time after the last fault, in which everybody has to recover. */
  readonly calm?: Pick<Span, 'from' | 'to' | 'label'> | undefined;
  readonly end: number;
}

/** A line of the table. */
export interface Row {
  readonly at: number;
  readonly who: string;
  readonly what: string;
  readonly tone: Tone;
  readonly isQuiet: boolean;
}

/** Returns everything that happened, in the order of time. */
export function rowsOf({ lanes, notes, messages }: Trace): readonly Row[] {
  const names = new Map(lanes.map(({ id, label }) => [id, label]));
  const name = (id: string): string => names.get(id) ?? id;
  const rows = notes.map(({ at, lane, text, tone }) => ({ at, who: name(lane), what: text, tone, isQuiet: false }));
  const ways = messages
    .filter(({ from, to }) => names.has(from) && names.has(to))
    .map(({ from, to, label, tone, sent, arrived, lost, isQuiet }) => {
      const end = arrived === undefined ? (lost === undefined ? '' : ' (lost)') : ` (arrives at ${seconds(arrived)})`;
      return { at: sent, who: `${name(from)} to ${name(to)}`, what: `${label}${end}`, tone, isQuiet };
    });
  return [...rows, ...ways].sort((one, other) => one.at - other.at);
}

/** Returns a time as the page writes it. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
