import type { Ballot, OpenedRecord } from '../../lib/engine/reply-register.js';
import type { Peeked } from '../../lib/engine/lock-node.js';
import type { LockForOnce } from '../../lib/engine/redlock.js';
import type { MemoryData } from '../../lib/memory/memory-node.js';
import type { Process, World } from './world.js';

/** Ms: longer than a world lasts. */
const KEEP = 1e7;
/** Ms after which callers turn to another key. */
const KEY_LASTS = 300;
/** How often a record is sent again if no quorum confirms it. */
const TRIES = 3;
/** The share of calls whose votes open the record, as `run-once.ts` does it where records lie on the nodes of the locks. */
const BY_VOTE = 0.6;
const AUTO_EXTENDED = 0.3;
/** The share of runs that take up to two leases. */
const LONG = 0.3;

/** Looks at every answer: all callers of a key have to be told the same. */
export class AnswerJudge {
  told = 0;
  readonly violations: string[] = [];
  readonly #answers = new Map<string, string>();

  tell(key: string, answer: string): void {
    this.told += 1;
    const first = this.#answers.get(key);
    if (first === undefined) this.#answers.set(key, answer);
    else if (first !== answer) this.violations.push(`TWO ANSWERS for ${key}: ${first}, and ${answer}`);
  }
}

/** How callers are. Ms. */
export interface OnceTerms {
  readonly ttl: number;
  readonly hold: number;
  /** The share of runs that fail, so that nothing is kept. */
  readonly fails: number;
}

/** What a call under its lock came to: an answer, or nothing that is told. */
type Attempted = { readonly answer: string } | 'superseded' | 'failed';

/** Callers whose work is to be done once for a key, as `run-once.ts` does it: peek, lock, open, run, settle, release, tell. */
export class OnceCallers {
  readonly judge = new AnswerJudge();
  readonly #calls = new Map<symbol, { readonly process: Process; readonly key: string }>();
  /** What all nodes had of a key at one time. */
  readonly #full = new Map<string, string>();
  #runs = 0;

  constructor(
    private readonly world: World,
    private readonly terms: OnceTerms,
  ) {}

  async call(process: Process): Promise<void> {
    const key = this.#key;
    const id = Symbol(key);
    this.#calls.set(id, { process, key });
    const answer = await this.#answerOf(process, key).catch(() => undefined);
    this.#calls.delete(id);
    if (answer !== undefined) this.judge.tell(key, answer);
  }

  /** Whether a node may lose its memory: of each key that has begun all nodes had a record, and a quorum still has it without this node. */
  mayForget(node: number): boolean {
    const { nodes } = this.world;
    const alive = [...this.#calls.values()].filter(({ process }) => !process.isDead).map(({ key }) => key);
    return [...new Set([this.#key, ...alive])].every((key) => {
      const stands = nodes.map(({ data }) => standsOn(data, key));
      if (stands.every((one) => one === undefined)) return true;
      if (stands[0]?.found && stands.every((one) => one?.found?.record === stands[0]!.found!.record))
        this.#full.set(key, stands[0].found.record);
      const full = this.#full.get(key);
      const left = stands.filter((one, index) => index !== node && one?.found && one.found.record === full).length;
      return left > nodes.length >> 1;
    });
  }

  get #key(): string {
    return `k${Math.floor(this.world.time / KEY_LASTS)}`;
  }

  /** Rejects, or returns undefined, if the caller is told nothing. */
  async #answerOf(process: Process, key: string): Promise<string | undefined> {
    for (;;) {
      const isByVote = this.world.random() < BY_VOTE;
      const taken = isByVote ? await this.#peekAndTake(process, key) : await this.#peekThenTake(process, key);
      if ('answer' in taken) return taken.answer;
      const attempted = await this.#underLock(process, key, { ...taken, isByVote });
      if (attempted === 'failed') return undefined;
      if (attempted !== 'superseded') return attempted.answer;
    }
  }

  async #peekThenTake({ redlock }: Process, key: string): Promise<{ readonly answer: string } | LockForOnce> {
    const peeked = await redlock.register.peek(key);
    if (peeked.kind === 'kept') return { answer: peeked.kept.record };
    return { lock: await redlock.acquire(key, this.#lockOptions()), isOpened: false };
  }

  /** In one turn. */
  async #peekAndTake({ redlock }: Process, key: string): Promise<{ readonly answer: string } | LockForOnce> {
    const peeking = redlock.register.peek(key);
    const abort = new AbortController();
    const opens = { fingerprint: null, ttl: KEEP };
    const taking = redlock.acquireOnce(key, { ...this.#lockOptions(), signal: abort.signal }, opens);
    const giveBack = async (): Promise<void> => {
      const taken = await taking;
      if (taken?.isOpened === true) await redlock.register.clear(key, ballotOf(taken));
      await taken?.lock.release();
    };
    taking.catch(() => undefined);
    try {
      const peeked = await peeking;
      if (peeked.kind === 'kept') {
        giveBack().catch(() => undefined);
        return { answer: peeked.kept.record };
      }
    } catch (error) {
      giveBack().catch(() => undefined);
      abort.abort();
      throw error;
    }
    return (await taking) ?? { lock: await redlock.acquire(key, this.#lockOptions()), isOpened: false };
  }

  #lockOptions(): { readonly ttl: number; readonly waitTimeout: number; readonly autoExtend: boolean } {
    return { ttl: this.terms.ttl, waitTimeout: 2_000, autoExtend: this.world.random() < AUTO_EXTENDED };
  }

  async #underLock(process: Process, key: string, taken: LockForOnce & HowTaken): Promise<Attempted> {
    const { world } = this;
    const { register } = process.redlock;
    const ballot = ballotOf(taken);
    try {
      const opened = taken.isOpened ? { kind: 'new' as const } : await this.#open(process, key, ballot);
      if (opened.kind === 'superseded') return 'superseded';
      if (opened.kind === 'kept') return { answer: opened.kept.record };
      // Longer than the lease may last, now and then.
      const { ttl, hold, fails } = this.terms;
      await world.sleep(process, world.random() < LONG ? ttl * 2 * world.random() : hold * world.random());
      if (world.random() >= fails) return await this.#settle(process, key, taken);
      await register.clear(key, ballot).catch(() => undefined);
      return 'failed';
    } finally {
      void taken.lock.release();
    }
  }

  /** Tries again under the same ballot, and takes its promises back if it gives up. */
  async #open(process: Process, key: string, ballot: Ballot): Promise<OpenedRecord> {
    const { register } = process.redlock;
    for (let tries = 1; ; tries += 1) {
      try {
        return await register.open(key, ballot, KEEP);
      } catch (error) {
        if (tries === TRIES) {
          register.clear(key, ballot).catch(() => undefined);
          throw error;
        }
      }
      await this.world.sleep(process, 50 * this.world.random());
    }
  }

  async #settle(process: Process, key: string, taken: LockForOnce & HowTaken): Promise<Attempted> {
    const answer = `the answer of run ${(this.#runs += 1)}`;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const settling = process.redlock.register.settle(key, ballotOf(taken), answer, KEEP);
      // In one turn, so that the nodes are asked once.
      if (taken.isByVote) void taken.lock.release();
      const settled = await settling.catch(() => undefined);
      if (settled !== undefined) return settled === 'settled' ? { answer } : 'superseded';
      await this.world.sleep(process, 50 * this.world.random());
    }
    return 'failed';
  }
}

interface HowTaken {
  readonly isByVote: boolean;
}

function ballotOf({ lock }: LockForOnce): Ballot {
  return { token: lock.fencingToken, owner: lock.value, fingerprint: null };
}

/** Returns what stands on a node under the key of a record. */
function standsOn({ records }: MemoryData, key: string): Peeked | undefined {
  const answer = records.execute({ kind: 'peek', resource: key }, 0);
  return answer.kind === 'peeked' ? answer : undefined;
}
