/**
 * The program of a `LeaderProcess`: an application of Nest with one pool, which ends as SIGTERM ends any application. It does what lines of JSON on its
 * input say, answers each line on its output, and notes there what happens to its terms. Times are of the monotonic clock of the machine, in ms.
 */
export const LEADER_SCRIPT = `
console.log('{ "id": "read" }');
const { NestFactory } = await import('@nestjs/core');
const { createInterface } = await import('node:readline');
const { setTimeout: sleep } = await import('node:timers/promises');
const { RedlockModule } = await import('./redlock.module.js');
const { RedlockService } = await import('./redlock.service.js');

const { nodes, nodeTimeout } = JSON.parse(process.argv[2]);
const module = RedlockModule.forRoot({ nodes, nodeTimeout, restartQuarantine: false, application: 'leader-test' });
const app = await NestFactory.createApplicationContext(module, { logger: false });
app.enableShutdownHooks();
const redlock = app.get(RedlockService);
const now = () => Number(process.hrtime.bigint()) / 1e6;
const say = (line) => console.log(JSON.stringify(line));
const note = (what, term, more) => say({ what, role: term.name, term: term.number, at: now(), ...more });
const candidates = new Map();
const stretches = new Map();

/** A process leads from the first to the last look at which its term is valid. The doubt between a look and its clock is in its favour. */
const look = () => {
  for (const candidate of candidates.values()) {
    const before = now();
    const term = candidate.term;
    if (term === undefined) continue;
    const key = term.name + ' ' + term.number;
    const stretch = stretches.get(key) ?? { role: term.name, term: term.number, from: now(), to: 0 };
    stretches.set(key, { ...stretch, to: Math.max(stretch.from, before) });
  }
};
setInterval(look, 2).unref();

const workOf = (cleanUp) => (term) => {
  note('elected', term);
  term.signal.addEventListener('abort', () => note('aborted', term));
  void term.ended.then((reason) => note('ended', term, { reason }));
  note('wrote', term);
  return async () => {
    await sleep(cleanUp);
    note('cleaned', term);
  };
};

const orders = {
  lead: async ({ role, ttl, cleanUp }) => {
    const at = now();
    candidates.set(role, redlock.lead(role, workOf(cleanUp), { ttl }));
    return at;
  },
  close: async ({ role }) => {
    await candidates.get(role).close();
    candidates.delete(role);
    return now();
  },
  leads: async ({ role }) => candidates.get(role).isLeader,
  leader: ({ role }) => redlock.leader(role),
  stretches: async () => (look(), [...stretches.values()]),
  /** Computes for so many ms without a turn of the event loop, and then writes as the leader that it was. */
  block: async ({ role, ms }) => {
    const { term } = candidates.get(role);
    const end = now() + ms;
    while (now() < end);
    note('wrote', term);
    return candidates.get(role).isLeader;
  },
};
createInterface(process.stdin).on('line', (line) => {
  const { id, what, ...order } = JSON.parse(line);
  orders[what](order).then((result) => say({ id, result }), (error) => say({ id, error: String(error) }));
});
say({ id: 'open' });
`;
