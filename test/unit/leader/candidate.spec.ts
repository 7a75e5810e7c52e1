import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LockEvent } from '../../../lib/engine/events.js';
import type { Candidate, LeadOptions } from '../../../lib/leader/candidate.js';
import type { LeaderWork, Term } from '../../../lib/leader/term.js';
import { RedlockService } from '../../../lib/redlock.service.js';
import { MemoryPool } from '../../support/memory-pool.js';
import { SeededRandom } from '../../support/seeded-random.js';

/** One process that campaigns. */
interface Member {
  readonly candidate: Candidate;
  readonly service: RedlockService;
  readonly terms: Term[];
  readonly events: LockEvent[];
}

describe('a candidate', () => {
  const TTL = 10_000;
  let pool: MemoryPool;
  let members: Member[];
  beforeEach(() => {
    pool = new MemoryPool(5);
    members = [];
  });

  const done = <T>(call: Promise<T>): Promise<T> => pool.clock.until(call);
  const pass = (ms: number): Promise<void> => pool.clock.advance(ms);

  function join(work: LeaderWork = () => undefined, options: LeadOptions = {}): Member {
    const number = members.length + 1;
    const nodes = pool.nodes.map((node) => node.connect(`client ${number}`));
    const random = new SeededRandom(number);
    const service = new RedlockService(
      nodes,
      { maxTtl: 30_000 },
      { clock: pool.clock, random, mark: `app@host#${number}:` },
    );
    const [terms, events]: [Term[], LockEvent[]] = [[], []];
    service.events$.subscribe((event) => events.push(event));
    const candidate = service.lead('bot', (term) => (terms.push(term), work(term)), options);
    members.push({ candidate, service, terms, events });
    return members.at(-1)!;
  }

  const leading = (): number[] => members.flatMap(({ candidate }, index) => (candidate.isLeader ? [index] : []));
  const typesOf = ({ events }: Member, ...types: LockEvent['type'][]): LockEvent[] =>
    events.filter(({ type }) => types.includes(type));

  it('leads alone, and goes on leading after its work has returned', async () => {
    for (let count = 0; count < 3; count += 1) join();
    await pass(60_000);
    expect(leading()).toHaveLength(1);
    const [leader] = leading();
    expect(members[leader!]!.terms).toHaveLength(1);
    expect(members[leader!]!.terms[0]).toMatchObject({ name: 'bot', overlap: false });
  });

  it('hands over within 100 ms after its clean-up, which begins once the signal has aborted', async () => {
    const order: string[] = [];
    const one = join((term) => {
      term.signal.addEventListener('abort', () => order.push('signal'));
      return async () => {
        order.push('clean-up');
        await pool.clock.sleep(1_000);
        order.push('cleaned up');
      };
    });
    await pass(1_000);
    join(() => void order.push('elected'));
    await pass(20_000);
    const resigned = one.candidate.resign();
    expect([one.candidate.isLeader, leading()]).toEqual([false, []]);
    await pass(999);
    expect(order).toEqual(['signal', 'clean-up']);
    await done(resigned);
    await pass(100);
    expect(order).toEqual(['signal', 'clean-up', 'cleaned up', 'elected']);
    expect(leading()).toEqual([1]);
    expect(await one.terms[0]!.ended).toBe('resigned');
    // It stays a candidate, behind the others.
    await done(members[1]!.candidate.resign());
    await pass(100);
    expect(leading()).toEqual([0]);
    expect(one.terms[1]!.number).toBeGreaterThan(one.terms[0]!.number);
  });

  it('closes when its signal aborts', async () => {
    const abort = new AbortController();
    const one = join(() => undefined, { signal: abort.signal });
    await pass(1_000);
    expect(leading()).toEqual([0]);
    abort.abort();
    await pass(100);
    expect([leading(), pool.owners('leader:bot')[0], await one.terms[0]!.ended]).toEqual([[], undefined, 'resigned']);
  });

  it('ends its term without a quorum before the lease is over, and one leads again when the nodes are back', async () => {
    const one = join();
    join();
    await pass(20_000);
    for (const node of pool.nodes.slice(0, 3)) node.fail('down');
    await pass(TTL);
    expect(leading()).toEqual([]);
    expect(await one.terms[0]!.ended).toBe('lost');
    expect(one.terms[0]!.signal.aborted).toBe(true);
    await pass(60_000);
    for (const node of pool.nodes) node.fail();
    await pass(2_500);
    expect(leading()).toHaveLength(1);
  });

  it('pauses for about 1, 2, 4, 8 and 16 s after failures, and lets others lead meanwhile', async () => {
    const now = (): number => pool.clock.now().monotonic;
    const [failed, others]: [number[], number[]] = [[], []];
    const failing = join(() => {
      if (failed.push(now()) <= 5) throw new Error('no bot');
    });
    join((term) => {
      others.push(now());
      pool.clock.schedule(400, () => void term.resign());
    });
    await pass(40_000);
    const pauses = failed.slice(1).map((at, index) => at - failed[index]!);
    expect(pauses).toHaveLength(5);
    for (const [index, pause] of pauses.entries()) {
      const longest = 1_000 * 2 ** index;
      expect(pause).toBeGreaterThan(0.74 * longest);
      expect(pause).toBeLessThan(longest + 500);
      expect(others.some((at) => at > failed[index]! && at < failed[index + 1]!)).toBe(true);
    }
    const events = typesOf(failing, 'term-failed');
    expect([events.length, events[0]]).toEqual([
      5,
      expect.objectContaining({ name: 'bot', error: new Error('no bot') }),
    ]);
    expect(await failing.terms[0]!.ended).toBe('failed');
    expect(leading()).toEqual([0]);
  });

  it('is not elected if it is closed right after the grant, whichever step the campaign is at', async () => {
    const early: number[] = [];
    for (let microtasks = 0; microtasks < 10; microtasks += 1) {
      [pool, members] = [new MemoryPool(5), []];
      const { candidate, service, terms, events } = join();
      const late = new Promise<LockEvent[]>((resolve) => {
        const close = async (): Promise<void> => {
          for (let count = 0; count < microtasks; count += 1) await Promise.resolve();
          const before = events.length;
          await candidate.close();
          resolve(events.slice(before));
        };
        service.events$.subscribe(({ type }) => void (type === 'acquired' && close()));
      });
      expect((await done(late)).map(({ type }) => type)).not.toContain('elected');
      if (terms.length === 0) early.push(microtasks);
      expect(pool.owners('leader:bot')).toEqual(Array.from({ length: 5 }));
    }
    // Otherwise the sweep would not have met a campaign between the grant and the election.
    expect(early).not.toEqual([]);
  });

  it('waits for the clean-up of its earlier term before it leads again, no longer than stopTimeout, and says when terms overlap', async () => {
    const ends: (() => void)[] = [];
    const one = join(() => () => new Promise<void>((resolve) => ends.push(resolve)), { stopTimeout: 3_000 });
    await pass(1_000);
    void one.candidate.resign();
    await pass(2_900);
    expect(one.terms).toHaveLength(1);
    await pass(200);
    expect(one.terms.map(({ overlap }) => overlap)).toEqual([false, true]);
    expect(typesOf(one, 'elected').at(-1)).toMatchObject({ overlap: true });
    ends[0]!();
    void one.candidate.resign();
    await pass(1);
    ends[1]!();
    await pass(100);
    expect(one.terms.map(({ overlap }) => overlap)).toEqual([false, true, false]);
  });

  it('tells what happens as events', async () => {
    const one = join();
    await pass(2_000);
    await done(one.candidate.close());
    const { number } = one.terms[0]!;
    expect(typesOf(one, 'campaigning', 'elected', 'deposed', 'campaign-ended')).toEqual([
      { type: 'campaigning', name: 'bot' },
      { type: 'elected', name: 'bot', term: number, overlap: false },
      { type: 'deposed', name: 'bot', term: number, reason: 'resigned', led: expect.closeTo(2_000, -2) },
      { type: 'campaign-ended', name: 'bot' },
    ]);
  });

  it('emits who leads', async () => {
    const one = join();
    const seen: boolean[] = [];
    one.candidate.leader$.subscribe((leads) => seen.push(leads));
    await pass(1_000);
    await done(one.candidate.close());
    expect(seen).toEqual([false, true, false]);
  });

  it('refuses a second candidate for one role in one process, and wrong options', () => {
    const { service } = join();
    const work = (): void => undefined;
    expect(() => service.lead('bot', work)).toThrow(/This process is a candidate for "bot" already/);
    expect(() => service.lead('other', work, { ttl: -1 })).toThrow(/lead options: ttl must be a number of ms/);
    expect(() => service.lead('other', work, { ttl: 30_001 })).toThrow(
      /lead options: ttl must be at most maxTtl, 30000 ms/,
    );
    expect(() => service.lead('other', work, { ttl: 2 })).toThrow(/ttl must be more than \d+ ms/);
    expect(() => service.lead('other', work, { stopTimeout: 'soon' as never })).toThrow(/stopTimeout must be/);
    expect(() => service.lead('other', undefined as never)).toThrow(/the work must be a function/);
    expect(() => service.lead('', work)).toThrow(/lead: name must be a text that is not empty; got ''/);
  });
});
