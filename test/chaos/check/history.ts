import type { Ask, ClientRecord, ClientRecords, Hold, Look, OnceAnswer } from '../record.js';

export interface Stall {
  readonly client: string;
  readonly from: number;
  readonly to: number;
}

/** What happened, put together from what the clients wrote down. */
export interface History {
  readonly asks: readonly Ask[];
  /** In the order in which they began. */
  readonly holds: readonly Hold[];
  readonly looks: readonly Look[];
  readonly stalls: readonly Stall[];
  readonly onces: readonly OnceAnswer[];
  readonly troubles: readonly string[];
  /** How often each event of a node was told: `node-quarantined: it restarted`. */
  readonly nodeEvents: ReadonlyMap<string, number>;
}

type Of<W extends ClientRecord['what']> = Extract<ClientRecord, { what: W }>;

/** All that was written down about one id. */
interface Story {
  readonly client: string;
  readonly asked: Of<'asked'>;
  readonly isTerm: boolean;
  acquired?: Of<'acquired'> | Of<'elected'>;
  failed?: Of<'failed'>;
  until: number;
  latest: number;
  readonly looks: Look[];
  released: number | undefined;
  lost: number | undefined;
  reason?: Of<'ended'>['reason'];
}

export function toHistory(all: readonly ClientRecords[]): History {
  const stories = all.flatMap((one) => [...storiesOf(one).values()]);
  const holds = stories.flatMap(holdsOf).sort((a, b) => a.from - b.from);
  const looks = stories.flatMap((story) => story.looks);
  const troubles = all.flatMap(({ client, records }) =>
    records.flatMap((record) => (record.what === 'trouble' ? [`${client}: ${record.reason}`] : [])),
  );
  const stalls = all.flatMap(({ client, records }) =>
    records.flatMap((record) => (record.what === 'stall' ? [{ client, from: record.from, to: record.at }] : [])),
  );
  const onces = all.flatMap(oncesOf);
  return { asks: stories.flatMap(asksOf), holds, looks, stalls, onces, troubles, nodeEvents: countEvents(all) };
}

function storiesOf({ client, records }: ClientRecords): Map<string, Story> {
  const stories = new Map<string, Story>();
  for (const record of records) {
    if (!('id' in record)) continue;
    if (record.what === 'asked') stories.set(record.id, begun(client, record));
    // A candidate waits for as long as it takes: what it asks is no ask that has to be served.
    if (record.what === 'elected') {
      const { id, at, resource } = record;
      stories.set(id, { ...begun(client, { what: 'asked', id, at, resources: [resource] }), isTerm: true });
    }
    const story = stories.get(record.id);
    if (story) tell(story, record);
  }
  return stories;
}

function oncesOf({ records }: ClientRecords): OnceAnswer[] {
  const calls = new Map<string, OnceAnswer>();
  for (const record of records) {
    if (record.what === 'once')
      calls.set(record.id, { id: record.id, key: record.key, ran: false, isUnkept: false, answer: undefined });
    const call = 'id' in record ? calls.get(record.id) : undefined;
    if (call && record.what === 'ran') calls.set(call.id, { ...call, ran: true });
    if (call && record.what === 'told')
      calls.set(call.id, { ...call, answer: record.answer, isUnkept: record.isUnkept });
  }
  return [...calls.values()];
}

function begun(client: string, asked: Of<'asked'>): Story {
  return { client, asked, isTerm: false, until: 0, latest: 0, looks: [], released: undefined, lost: undefined };
}

function tell(story: Story, record: ClientRecord): void {
  if (record.what === 'acquired' || record.what === 'elected') story.acquired = record;
  if (record.what === 'failed') story.failed = record;
  if (record.what === 'acquired' || record.what === 'elected' || record.what === 'extended') {
    story.until = record.until;
    story.latest = record.latest;
  }
  if (record.what === 'looked') story.looks.push({ ...record, latest: story.latest });
  if (record.what === 'released') story.released = record.at;
  if (record.what === 'lost') story.lost = record.at;
  if (record.what === 'ended') story.reason = record.reason;
}

function holdsOf({ client, asked: { id, resources }, acquired, isTerm, ...story }: Story): Hold[] {
  if (!acquired) return [];
  const { until, released, lost, reason } = story;
  const slots = 'slots' in acquired ? acquired.slots : undefined;
  const [kind, cleaned] = isTerm ? (['term', released] as const) : [slots && ('permit' as const), undefined];
  const { at: from, token } = acquired;
  const to = Math.max(from, Math.min(released ?? Infinity, lost ?? Infinity, until));
  const names = slots?.map((slot) => `${resources[0]}~${slot}`) ?? resources;
  return names.map((resource) => ({ id, client, resource, token, from, to, until, lost, kind, reason, cleaned }));
}

function asksOf({ client, asked, isTerm, acquired, failed }: Story): Ask[] {
  if (isTerm) return [];
  const { id, resources, at } = asked;
  const answered = (acquired ?? failed)?.at;
  return resources.map((resource) => ({ id, client, resource, asked: at, answered, code: failed?.code }));
}

function countEvents(all: readonly ClientRecords[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const record of all.flatMap(({ records }) => records)) {
    if (record.what !== 'node') continue;
    // Numbers differ each time; what is to be counted is the kind.
    const kind = `${record.event}: ${record.why}`.replaceAll(/\d[\d.:]*/g, '#').replace(/: $/, '');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
