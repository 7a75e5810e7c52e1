import type { Alarm, Lane, Note, Span, SpanKind, Trace } from '../../../sample-app/playground/events.js';
import type { Overlap } from '../check/exclusion.js';
import type { Chapter } from '../check/verdict.js';
import type { Ask, Fault, Hold } from '../record.js';

/** The nodes and the client processes of a run. */
export interface Cast {
  readonly nodes: readonly string[];
  readonly clients: readonly string[];
}

/** What a chapter came to, as far as a drawing shows it. */
export interface Result {
  readonly overlaps: readonly Overlap[];
  /** Ms. */
  readonly recovery: number;
}

const HOT = 'hot';
const KINDS: Readonly<Record<string, SpanKind>> = {
  'kill-node': 'down',
  'kill-three': 'down',
  'kill-rolling': 'down',
  'old-rdb': 'down',
  'kill-client': 'down',
  'freeze-node': 'frozen',
  'freeze-client': 'frozen',
  'block-client': 'frozen',
};

/** Turns a chapter into a drawing: faults, holders, waiters, and what must not have happened. Times begin at the chapter, in whole ms. */
export function traceOf(chapter: Chapter, cast: Cast, { overlaps, recovery }: Result): Trace {
  const { from, calm, faults, history } = chapter;
  const at = (time: number): number => Math.round(Math.min(Math.max(time, from), calm.to) - from);
  const resources = [...new Set([HOT, ...overlaps.map(({ first }) => first.resource)])];
  const isDrawn = ({ resource }: Ask | Hold): boolean => resources.includes(resource);
  const parts = [
    ...faults.flatMap((fault) => faultParts(fault, cast)),
    ...history.asks.filter(({ resource }) => resource === HOT).flatMap((ask) => askParts(ask, chapter)),
    ...holdParts(history.holds.filter(isDrawn), history.asks),
  ];
  const recovered = `recovered ${Math.round(recovery)} ms after the last fault`;
  const notes = [
    ...parts.flatMap((part) => part.notes),
    { at: calm.from + recovery, lane: HOT, text: recovered, tone: 'good' } as const,
  ];
  return {
    lanes: lanesOf(cast, resources),
    spans: parts
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, from: at(span.from), to: at(span.to) }))
      .sort((a, b) => a.from - b.from),
    notes: notes.map((note) => ({ ...note, at: at(note.at) })).sort((a, b) => a.at - b.at),
    messages: [],
    leases: [],
    alarms: overlaps.map((overlap) => alarmOf(overlap, at)),
    calm: {
      from: at(calm.from),
      to: at(calm.to),
      label: `calm: all that wait are to be served within ${calm.limit} ms`,
    },
    end: at(calm.to),
  };
}

interface Part {
  readonly spans: readonly Span[];
  readonly notes: readonly Note[];
}

function lanesOf({ nodes, clients }: Cast, resources: readonly string[]): readonly Lane[] {
  return [
    ...nodes.map((name) => ({ id: name, label: name, kind: 'node' }) as const),
    ...clients.map((name) => ({ id: name, label: name, kind: 'app' }) as const),
    ...resources.map((name) => ({ id: name, label: name, kind: 'store' }) as const),
  ];
}

function faultParts({ name, where, from, to }: Fault, { nodes, clients }: Cast): Part[] {
  const part = (lane: string, kind: SpanKind, label: string): Part => {
    const text = `${label}, for ${Math.round(to - from)} ms`;
    return { spans: [{ lane, kind, from, to, label }], notes: [hidden({ at: from, lane, text, tone: 'bad' })] };
  };
  const struck = [...nodes, ...clients].filter((lane) => where.includes(lane));
  const ways = clients.flatMap((client) => {
    const start = `way ${client.split(' ')[1]}-`;
    const reached = where
      .filter((one) => one.startsWith(start))
      .map((one) => one.slice(start.length))
      .sort();
    return reached.length > 0 ? [part(client, 'way', `${name} to node ${reached.join(', ')}`)] : [];
  });
  return [...struck.map((lane) => part(lane, KINDS[name] ?? 'fault', name)), ...ways];
}

/** A process that was killed while it waited waits no more. */
function askParts({ id, client, resource, asked, answered, code }: Ask, { faults, calm }: Chapter): Part[] {
  const lane = laneOf(client);
  const isKill = ({ name, where, from }: Fault): boolean =>
    name === 'kill-client' && where.includes(lane) && from >= asked;
  const to = answered ?? faults.find(isKill)?.from ?? calm.to;
  const kind = code === undefined ? 'waits' : 'refused';
  const text = `gives up on ${resource} after ${Math.round(to - asked)} ms: ${code} (${id})`;
  return [
    {
      spans: [{ lane, kind, from: asked, to, label: '' }],
      notes: code === undefined ? [] : [hidden({ at: to, lane, text, tone: 'wait' })],
    },
  ];
}

function holdParts(holds: readonly Hold[], asks: readonly Ask[]): Part[] {
  const askedAt = new Map(asks.map(({ id, resource, asked }) => [`${id} ${resource}`, asked]));
  const tokens = [...new Set(holds.map(({ token }) => token))].sort((a, b) => a - b);
  const order = new Map(tokens.map((token, index) => [token, index + 1]));
  return holds.map(({ id, client, resource, token, from, to, lost, until }) => {
    const lane = laneOf(client);
    const waited = from - (askedAt.get(`${id} ${resource}`) ?? from);
    const text = `gets ${resource} after ${Math.round(waited)} ms, token ${order.get(token)} (${id})`;
    const spans: Span[] = [
      { lane, kind: 'holds', from, to, label: `has ${resource}` },
      { lane: resource, kind: 'holds', from, to, label: lane },
    ];
    const got = hidden({ at: from, lane, text, tone: 'good' });
    const isOver = lost !== undefined || to >= until;
    if (isOver) return { spans, notes: [got, { at: to, lane, text: `loses ${resource}`, tone: 'bad' }] };
    return { spans, notes: [got, hidden({ at: to, lane, text: `releases ${resource}`, tone: 'plain' })] };
  });
}

function alarmOf({ first, second, ms }: Overlap, at: (time: number) => number): Alarm {
  const from = at(second.from);
  const text = `${first.id} and ${second.id} both hold ${first.resource} for ${ms.toFixed(1)} ms`;
  return { from, to: Math.max(from + 1, at(second.from + ms)), text };
}

function hidden(note: Note): Note {
  return { ...note, isInTableOnly: true };
}

/** `client 2` of its second life, `client 2.2`. */
function laneOf(life: string): string {
  return life.split('.')[0]!;
}
