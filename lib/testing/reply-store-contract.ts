import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout } from '../engine/native-timers.js';
import type { Attempt, Opened, ReplyStore } from '../idempotency/reply-store.js';

/** One check of a `ReplyStore`, for a test runner. */
export interface ReplyStoreCheck {
  /** What the check expects. */
  readonly name: string;
  /** Runs the check. @throws Error if the store fails the check */
  run(): Promise<void>;
}

/** Ms: longer than any check takes. */
const LONG = 600_000;
/** Ms: so short that a check can wait for the end; long enough for a slow store to be asked before it. */
const SHORT = 1_000;

type Law = (trial: Trial) => Promise<void>;

/**
 * Returns the checks that every `ReplyStore` must pass.
 * @param makeStore Returns the store. The store may be in use, because each check has keys of its own.
 * @example
 * ```ts
 * it.each(replyStoreContract(makeStore))('$name', ({ run }) => run());
 * ```
 */
export function replyStoreContract(makeStore: () => Promise<ReplyStore> | ReplyStore): ReplyStoreCheck[] {
  const laws = { ...OPENING, ...KEEPING, ...CLEARING, ...LOOKING, ...EXPIRING, ...AGREEING };
  return Object.entries(laws).map(([name, law]) => ({
    name,
    run: async () => law(new Trial(await makeStore(), name)),
  }));
}

/** A store with a key and attempts of its own. */
class Trial {
  readonly key = `contract:${randomUUID()}`;
  readonly #base = Date.now() * 1_000;

  constructor(
    readonly store: ReplyStore,
    private readonly law: string,
  ) {}

  /** Each later one has a greater token. */
  attempt(order: number, fingerprint: string | null = null): Attempt {
    return { token: this.#base + order, owner: `${this.key}/${order}`, fingerprint };
  }

  open(attempt: Attempt, keep = LONG): Promise<Opened> {
    return this.store.open(this.key, attempt, keep);
  }

  settle(attempt: Attempt, record: string, keep = LONG): Promise<'settled' | 'superseded'> {
    return this.store.settle(this.key, attempt, record, keep);
  }

  /** An attempt that has opened the key, and has kept this. */
  async kept(record: string, attempt = this.attempt(1), keep = LONG): Promise<Attempt> {
    this.equal(await this.open(attempt), { kind: 'new' });
    this.equal(await this.settle(attempt, record, keep), 'settled');
    return attempt;
  }

  equal(actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return;
    throw new Error(`The store breaks the law "${this.law}": got ${text(actual)}, expected ${text(expected)}`);
  }
}

const OPENING: Record<string, Law> = {
  'open says new if there is nothing': async (trial) => {
    trial.equal(await trial.open(trial.attempt(1)), { kind: 'new' });
  },
  'open says interrupted after an attempt that has neither settled nor cleared, with its fingerprint': async (
    trial,
  ) => {
    await trial.open(trial.attempt(1, 'one'));
    trial.equal(await trial.open(trial.attempt(2, 'two')), { kind: 'interrupted', attempts: 1, fingerprint: 'one' });
    trial.equal(await trial.open(trial.attempt(3, null)), { kind: 'interrupted', attempts: 2, fingerprint: 'two' });
    trial.equal(await trial.open(trial.attempt(4)), { kind: 'interrupted', attempts: 3, fingerprint: null });
  },
  'open says the same when an attempt repeats it': async (trial) => {
    for (let times = 0; times < 3; times += 1) trial.equal(await trial.open(trial.attempt(1)), { kind: 'new' });
    const interrupted = { kind: 'interrupted', attempts: 1, fingerprint: null };
    for (let times = 0; times < 3; times += 1) trial.equal(await trial.open(trial.attempt(2)), interrupted);
  },
  'open changes the fingerprint when an attempt repeats it with another': async (trial) => {
    await trial.open(trial.attempt(1, 'one'));
    trial.equal(await trial.open(trial.attempt(1, 'other')), { kind: 'new' });
    trial.equal(await trial.store.peek(trial.key), { kind: 'running', fingerprint: 'other' });
    trial.equal(await trial.open(trial.attempt(2)), { kind: 'interrupted', attempts: 1, fingerprint: 'other' });
  },
  'open says superseded if an attempt with a greater token has opened': async (trial) => {
    await trial.open(trial.attempt(2));
    trial.equal(await trial.open(trial.attempt(1)), { kind: 'superseded' });
    trial.equal(await trial.open(trial.attempt(2)), { kind: 'new' });
  },
};

const KEEPING: Record<string, Law> = {
  'what was settled stays the same for every later attempt, and open never says new again': async (trial) => {
    await trial.kept('record', trial.attempt(1, 'one'));
    const kept = { kind: 'kept', kept: { fingerprint: 'one', record: 'record' } };
    for (const order of [2, 3, 4]) {
      trial.equal(await trial.open(trial.attempt(order, 'other')), kept);
      trial.equal(await trial.store.peek(trial.key), kept);
    }
  },
  'a record comes back as it was, whatever it has in it': async (trial) => {
    const record = `{"text":"ä€😀\\u0000'\\"\\\\","long":"${'x'.repeat(10_000)}"}`;
    await trial.kept(record);
    trial.equal(await trial.store.peek(trial.key), { kind: 'kept', kept: { fingerprint: null, record } });
  },
  'settle is superseded if an attempt with a greater token has opened': async (trial) => {
    await trial.open(trial.attempt(1));
    await trial.open(trial.attempt(2, 'two'));
    trial.equal(await trial.settle(trial.attempt(1), 'late'), 'superseded');
    trial.equal(await trial.store.peek(trial.key), { kind: 'running', fingerprint: 'two' });
    trial.equal(await trial.settle(trial.attempt(2, 'two'), 'record'), 'settled');
    trial.equal(await trial.settle(trial.attempt(1), 'late'), 'superseded');
    const kept = { kind: 'kept', kept: { fingerprint: 'two', record: 'record' } };
    trial.equal(await trial.store.peek(trial.key), kept);
  },
  'settle twice is one': async (trial) => {
    const attempt = await trial.kept('record');
    trial.equal(await trial.settle(attempt, 'record'), 'settled');
    trial.equal(await trial.open(trial.attempt(2)), { kind: 'kept', kept: { fingerprint: null, record: 'record' } });
  },
  'keys do not collide': async (trial) => {
    await trial.kept('record');
    const other = `${trial.key}:other`;
    trial.equal(await trial.store.peek(other), { kind: 'none' });
    trial.equal(await trial.store.open(other, trial.attempt(1), LONG), { kind: 'new' });
  },
};

const CLEARING: Record<string, Law> = {
  'clear removes the mark of its attempt, so that the next one finds nothing': async (trial) => {
    await trial.open(trial.attempt(1));
    await trial.store.clear(trial.key, trial.attempt(1));
    trial.equal(await trial.store.peek(trial.key), { kind: 'none' });
    trial.equal(await trial.open(trial.attempt(2)), { kind: 'new' });
  },
  'clear by a superseded attempt changes nothing': async (trial) => {
    await trial.open(trial.attempt(1));
    await trial.open(trial.attempt(2, 'two'));
    await trial.store.clear(trial.key, trial.attempt(1));
    trial.equal(await trial.store.peek(trial.key), { kind: 'running', fingerprint: 'two' });
    trial.equal(await trial.settle(trial.attempt(2, 'two'), 'record'), 'settled');
  },
  'clear by an attempt after an interrupted one leaves the key marked': async (trial) => {
    await trial.open(trial.attempt(1));
    await trial.open(trial.attempt(2));
    await trial.store.clear(trial.key, trial.attempt(2));
    trial.equal((await trial.open(trial.attempt(3))).kind, 'interrupted');
  },
  'clear removes nothing that was settled': async (trial) => {
    const attempt = await trial.kept('record');
    await trial.store.clear(trial.key, attempt);
    await trial.store.clear(trial.key, trial.attempt(2));
    const kept = { kind: 'kept', kept: { fingerprint: null, record: 'record' } };
    trial.equal(await trial.store.peek(trial.key), kept);
  },
  'clear and forget of nothing change nothing': async (trial) => {
    await trial.store.clear(trial.key, trial.attempt(1));
    trial.equal(await trial.store.forget(trial.key), false);
    trial.equal(await trial.store.peek(trial.key), { kind: 'none' });
  },
  'forget removes a mark, or what was settled': async (trial) => {
    await trial.open(trial.attempt(1));
    trial.equal(await trial.store.forget(trial.key), true);
    await trial.kept('record', trial.attempt(2));
    trial.equal(await trial.store.forget(trial.key), true);
    trial.equal(await trial.store.forget(trial.key), false);
    trial.equal(await trial.store.peek(trial.key), { kind: 'none' });
    trial.equal(await trial.open(trial.attempt(3)), { kind: 'new' });
  },
};

const LOOKING: Record<string, Law> = {
  'peek tells none, then running, then kept': async (trial) => {
    const attempt = trial.attempt(1, 'one');
    trial.equal(await trial.store.peek(trial.key), { kind: 'none' });
    await trial.open(attempt);
    trial.equal(await trial.store.peek(trial.key), { kind: 'running', fingerprint: 'one' });
    await trial.settle(attempt, 'record');
    const kept = { kind: 'kept', kept: { fingerprint: 'one', record: 'record' } };
    trial.equal(await trial.store.peek(trial.key), kept);
  },
  'describe tells the state, the attempts and the bytes of the record': async (trial) => {
    const look = async (): Promise<unknown> => {
      const info = await trial.store.describe(trial.key);
      if (info === undefined) return undefined;
      const { key, state, attempts, size, age, expiresIn } = info;
      // A mark may last longer than `keep`.
      const isInTime = expiresIn > 0 && (state === 'running' || expiresIn <= LONG);
      return { key, state, attempts, size, times: age >= 0 && age < LONG && isInTime };
    };
    trial.equal(await look(), undefined);
    await trial.open(trial.attempt(1));
    await trial.open(trial.attempt(2));
    trial.equal(await look(), { key: trial.key, state: 'running', attempts: 2, size: 0, times: true });
    await trial.settle(trial.attempt(2), '"ä"');
    trial.equal(await look(), { key: trial.key, state: 'kept', attempts: 2, size: 4, times: true });
  },
  'list tells the keys that fit a pattern, and no more than the limit': async (trial) => {
    if (trial.store.list === undefined) return;
    const keys = ['a_1', 'a_2', 'ab1'].map((end) => `${trial.key}:${end}`);
    for (const key of keys) await trial.store.open(key, trial.attempt(1), LONG);
    const listed = async (pattern: string, limit: number): Promise<string[]> => {
      const found: string[] = [];
      for await (const { key } of trial.store.list!(pattern, limit)) found.push(key);
      return found.sort();
    };
    trial.equal(await listed(`${trial.key}:*`, 10), keys);
    trial.equal(await listed(`${trial.key}:a_*`, 10), keys.slice(0, 2));
    trial.equal(await listed(`${trial.key}:*1`, 10), [keys[0], keys[2]]);
    trial.equal((await listed(`${trial.key}:*`, 2)).length, 2);
  },
};

const EXPIRING: Record<string, Law> = {
  'what was settled is absent once keep is over, counted from settle': async (trial) => {
    await trial.kept('record', trial.attempt(1), SHORT);
    trial.equal((await trial.store.peek(trial.key)).kind, 'kept');
    await wait(SHORT * 1.5);
    trial.equal(await trial.store.peek(trial.key), { kind: 'none' });
    trial.equal(await trial.store.describe(trial.key), undefined);
    trial.equal(await trial.store.forget(trial.key), false);
    trial.equal(await trial.open(trial.attempt(3)), { kind: 'new' });
    trial.equal(await trial.settle(trial.attempt(3), 'next'), 'settled');
    trial.equal(await trial.open(trial.attempt(4)), { kind: 'kept', kept: { fingerprint: null, record: 'next' } });
  },
  'a mark lasts at least for keep': async (trial) => {
    await trial.open(trial.attempt(1), SHORT);
    await wait(SHORT / 2);
    trial.equal(await trial.store.peek(trial.key), { kind: 'running', fingerprint: null });
    trial.equal(await trial.open(trial.attempt(2), SHORT), { kind: 'interrupted', attempts: 1, fingerprint: null });
  },
};

const AGREEING: Record<string, Law> = {
  '50 attempts at once, some of which die at any point, agree on one record': async (trial) => {
    await Promise.all(Array.from({ length: 10 }, () => agree(new Trial(trial.store, 'one record'), 50)));
  },
};

/** Each attempt returns what it has settled or found; a death is an attempt that does no more. */
async function agree(trial: Trial, callers: number): Promise<void> {
  const told = new Set<string>();
  const call = async (order: number): Promise<void> => {
    const attempt = trial.attempt(order);
    await wait(Math.random() * 30);
    const opened = await trial.open(attempt);
    if (opened.kind === 'kept') told.add(opened.kept.record);
    if (opened.kind === 'kept' || opened.kind === 'superseded' || Math.random() < 0.3) return;
    await wait(Math.random() * 10);
    const settled = await trial.settle(attempt, `record of ${order}`);
    if (settled === 'settled' && Math.random() < 0.8) told.add(`record of ${order}`);
  };
  await Promise.all(Array.from({ length: callers }, (_, order) => call(order + 1)));
  const last = await trial.open(trial.attempt(callers + 1));
  if (last.kind === 'kept') told.add(last.kept.record);
  else if (told.size > 0) trial.equal(last.kind, 'kept');
  if (told.size > 1) trial.equal([...told], 'one record');
}

function wait(delay: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, delay));
}

function text(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
