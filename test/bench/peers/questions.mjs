import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('./replicas.mjs').Replicas} Replicas */
/** @typedef {import('./replicas.mjs').Reply} Reply */
/** @typedef {{ name: string, asks: string, ask: (replicas: Replicas) => Promise<string> }} Question */

const DUPLICATES = 50;
const PAUSE_MS = 300;
/** How long after a crash a client goes on asking. */
const PATIENCE_MS = 75_000;
const RETRY_MS = 1_000;

/** @type {readonly Question[]} */
export const QUESTIONS = [
  {
    name: 'hidden field',
    asks: 'A class hides `password` by `@Exclude()`, with Nest’s `ClassSerializerInterceptor`. Does the replay show it?',
    ask: hiddenField,
  },
  {
    name: '50 duplicates at once',
    asks: '50 equal requests at the same time, half of them to each replica; the handler takes 300 ms.',
    ask: atOnce,
  },
  {
    name: 'other payload, after the end',
    asks: 'The same key with another body, when the first has ended.',
    ask: (replicas) => otherPayload(replicas, false),
  },
  {
    name: 'other payload, while it runs',
    asks: 'The same while the first is running.',
    ask: (replicas) => otherPayload(replicas, true),
  },
  { name: "other user's key", asks: 'Bob sends the key and the body that Ann has sent.', ask: otherUser },
  {
    name: '100 KB of JSON',
    asks: 'The reply is an object of 100 KB; the duplicate comes to the other replica.',
    ask: (replicas) => large(replicas, 'large'),
  },
  {
    name: 'stream of 100 KB',
    asks: 'The reply is a `StreamableFile` of 100 KB.',
    ask: (replicas) => large(replicas, 'stream'),
  },
  {
    name: 'crash',
    asks: `SIGKILL within the handler; then the client asks the other replica, at once and then every second for ${PATIENCE_MS / 1e3} s at most.`,
    ask: (replicas) => crash(replicas, 'crash'),
  },
  {
    name: 'crash, refusing',
    asks: 'The same if the package can be told that the handler must not run again.',
    ask: async (replicas) => (replicas.canRefuse ? crash(replicas, 'refuse') : 'no such option'),
  },
];

/** @param {Replicas} replicas */
async function hiddenField(replicas) {
  const run = replicas.name();
  const request = { route: 'create', key: run, body: { run, item: 'lamp' } };
  const first = await replicas.post(0, request);
  const replay = await replicas.post(1, request);
  const shows = (/** @type {Reply} */ { text }) => text.includes('password');
  const same = first.text === replay.text ? 'the same body' : 'another body';
  return `${shows(replay) && !shows(first) ? '**shown**' : 'stays hidden'} (${replay.status}, ${same}); ${times(replicas.runsOf(run))}`;
}

/** @param {Replicas} replicas */
async function atOnce(replicas) {
  const run = replicas.name();
  const request = { route: 'create', key: run, body: { run, item: 'lamp', pause: PAUSE_MS } };
  const all = await Promise.all(Array.from({ length: DUPLICATES }, (_, index) => replicas.post(index % 2, request)));
  const good = new Set(all.filter(({ status }) => status === 201).map(({ text }) => text));
  const bodies = `${good.size} ${good.size === 1 ? 'body' : 'bodies'} with 201`;
  return `${times(replicas.runsOf(run))}; ${tally(all)}; ${bodies}`;
}

/** @param {Replicas} replicas @param {boolean} isRunning */
async function otherPayload(replicas, isRunning) {
  const run = replicas.name();
  const of = (/** @type {string} */ item) => ({ route: 'create', key: run, body: { run, item, pause: PAUSE_MS } });
  const first = replicas.post(0, of('lamp'));
  await (isRunning ? sleep(PAUSE_MS / 2) : first);
  const other = await replicas.post(1, of('sofa'));
  await first;
  return `${other.status}; ${times(replicas.runsOf(run))}`;
}

/** @param {Replicas} replicas */
async function otherUser(replicas) {
  const run = replicas.name();
  const request = { route: 'create', key: run, body: { run, item: 'lamp' } };
  const ann = await replicas.post(0, request);
  const bob = await replicas.post(1, { ...request, user: 'bob' });
  const idOf = (/** @type {Reply} */ { text }) => /"id":"([^"]+)"/.exec(text)?.[1];
  const whose = idOf(bob) !== undefined && idOf(bob) === idOf(ann) ? "**gets Ann's reply**" : 'gets his own';
  return `${whose} (${bob.status}); ${times(replicas.runsOf(run))}`;
}

/** @param {Replicas} replicas @param {string} route */
async function large(replicas, route) {
  const run = replicas.name();
  const request = { route, key: run, body: { run } };
  const first = await replicas.post(0, request);
  const again = await replicas.post(1, request);
  const begun = first.status === 0 ? '**no answer**' : `${first.status}`;
  const sizes = again.status === 201 ? `**another body**, ${again.text.length} bytes` : codeOf(again);
  const same = first.text === again.text ? 'the same bytes' : sizes || 'refused';
  return `${begun}, then ${again.status} (${same}); ${times(replicas.runsOf(run))}`;
}

/** @param {Replicas} replicas @param {string} route */
async function crash(replicas, route) {
  const run = replicas.name();
  const request = { route, key: run, body: { run } };
  await replicas.restart(0, true);
  try {
    const first = await replicas.post(0, request);
    if (first.status !== 0) return `no crash: ${first.status}`;
    const began = performance.now();
    const { replies, last } = await untilAnswered(replicas, request, began);
    const after = `${((performance.now() - began) / 1e3).toFixed(1)} s`;
    const runs = times(replicas.runsOf(run));
    if (last.status === 201 && replicas.runsOf(run) > 1) {
      const before = replies.length > 1 ? `${tally(replies.slice(0, -1))}, then ` : '';
      return `${before}runs again after ${after}: ${last.status}; ${runs}`;
    }
    const since = replies.length > 1 ? 'for as long as it was asked, ' : 'after ';
    return `${[last.status, codeOf(last)].filter(Boolean).join(' ')} ${since}${after}; ${runs}`;
  } finally {
    await replicas.restart(0, false);
  }
}

/** @param {Replicas} replicas @param {import('./replicas.mjs').Request} request @param {number} began */
async function untilAnswered(replicas, request, began) {
  /** @type {Reply[]} */
  const replies = [];
  for (;;) {
    const last = await replicas.post(1, request);
    replies.push(last);
    const isOver = performance.now() - began > PATIENCE_MS || last.text.includes('OUTCOME_UNKNOWN');
    if (last.status === 201 || isOver) return { replies, last };
    await sleep(RETRY_MS);
  }
}

/** @param {Reply} reply */
function codeOf({ text }) {
  return /"code":"IDEMPOTENCY_(\w+)"/.exec(text)?.[1] ?? '';
}

/** @param {number} runs */
const times = (runs) => (runs === 1 ? 'ran once' : `ran ${runs} times`);

/** @param {readonly Reply[]} replies */
function tally(replies) {
  const counts = new Map();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${count} x ${status || 'no answer'}`)
    .join(', ');
}
