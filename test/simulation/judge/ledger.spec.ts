import { describe, expect, it } from '@jest/globals';
import { Ledger, type HeldLock, type Holder } from './ledger.js';

const PROCESS: Holder = { name: 'process-1', isLate: false, time: 0, isSuspended: false, isComputing: false };

interface PlantedLock extends HeldLock {
  validity: number;
  readonly abort: AbortController;
}

function planted(value: string, fencingToken: number, resources = ['a']): PlantedLock {
  const abort = new AbortController();
  return {
    resources,
    value,
    fencingToken,
    validity: 100,
    get isValid() {
      return this.validity > 0;
    },
    signal: abort.signal,
    abort,
  };
}

function lose(lock: PlantedLock): void {
  lock.validity = 0;
  lock.abort.abort();
}

describe('Ledger', () => {
  it('finds two valid holders of one resource', () => {
    const ledger = new Ledger();
    ledger.began(PROCESS, planted('first', 1));
    expect(() => ledger.began(PROCESS, planted('second', 2))).toThrow('exclusion: a is held by first');
  });

  it('finds two locks that share one of several resources', () => {
    const ledger = new Ledger();
    ledger.began(PROCESS, planted('first', 1, ['a', 'b']));
    expect(() => ledger.began(PROCESS, planted('second', 2, ['b', 'c']))).toThrow('exclusion: b');
  });

  it('is content with one holder after the other', () => {
    const ledger = new Ledger();
    const [first, second] = [planted('first', 1), planted('second', 2)];
    ledger.began(PROCESS, first);
    ledger.ended(first);
    ledger.began(PROCESS, second);
    lose(second);
    ledger.began(PROCESS, planted('third', 3));
    expect(ledger.holds).toBe(3);
  });

  it('forgets the locks of a process that is gone', () => {
    const ledger = new Ledger();
    ledger.began(PROCESS, planted('first', 1));
    ledger.endedAllOf(PROCESS);
    ledger.began({ ...PROCESS, name: 'process-2' }, planted('second', 2));
    expect(ledger.holds).toBe(2);
  });

  it.each([1, 0, NaN])('finds a token that goes from 1 to %p', (token) => {
    const ledger = new Ledger();
    const first = planted('first', 1);
    ledger.began(PROCESS, first);
    ledger.ended(first);
    expect(() => ledger.began(PROCESS, planted('second', token))).toThrow('token order');
  });

  it('finds a held lock whose token changes', () => {
    const ledger = new Ledger();
    const lock = { ...planted('first', 1), isValid: true };
    ledger.began(PROCESS, lock);
    ledger.check();
    lock.fencingToken = 2;
    expect(() => ledger.check()).toThrow('token stays: first of process-1 had token 1 and has 2 now');
  });

  it('finds a lock that is over when it is given', () => {
    const lock = planted('late', 1);
    lose(lock);
    expect(() => new Ledger().began(PROCESS, lock)).toThrow('valid when taken');
  });

  it('finds a lock whose signal says already that it is lost', () => {
    const lock = planted('lost', 1);
    lock.abort.abort();
    expect(() => new Ledger().began(PROCESS, lock)).toThrow('valid when taken');
  });

  it('finds a lock that passes on although it was lost', () => {
    const [ledger, lock] = [new Ledger(), planted('lost', 1)];
    ledger.began(PROCESS, lock);
    lose(lock);
    ledger.toldOfLoss(lock);
    expect(() => ledger.began(PROCESS, planted('lost', 2))).toThrow('lost stays lost');
  });

  it('finds a lock that says it is valid when its program is told of the loss', () => {
    expect(() => new Ledger().toldOfLoss(planted('lost', 1))).toThrow('lost stays lost');
  });

  describe('of a process that computes', () => {
    const computing = { ...PROCESS, name: 'computing' };
    const [first, second] = [planted('first', 1), planted('second', 2)];
    const ledger = new Ledger();
    ledger.began(computing, first);
    ledger.computes(computing);
    computing.isComputing = true;
    lose(first);

    it('counts what it had before for as long as that lasts, whatever its lock says about a later time', () => {
      computing.time = 99;
      expect(() => ledger.began(PROCESS, second)).toThrow('exclusion: a is held by first');
    });

    it('counts no longer what is over by now', () => {
      computing.time = 100;
      expect(() => ledger.check()).not.toThrow();
    });

    it('enters what it is given when the world has come there', () => {
      const world = new Ledger();
      world.began(PROCESS, planted('before', 1));
      const enter = world.given(computing, planted('later', 2));
      expect(() => world.check()).not.toThrow();
      expect(enter).toThrow('exclusion: a is held by before');
    });
  });

  describe('of a lease that ends sooner than it should', () => {
    const create = (): [Ledger, PlantedLock] => {
      const [ledger, lock] = [new Ledger(), planted('short', 1)];
      ledger.began(PROCESS, lock);
      lock.validity = 60;
      return [ledger, lock];
    };

    it('finds it', () => {
      const [ledger] = create();
      expect(() => ledger.check()).toThrow('leases last: short on a of process-1 became 40 ms shorter');
    });

    it('allows it where its holder asked for another one', () => {
      const [ledger, lock] = create();
      ledger.extends(lock);
      expect(() => ledger.check()).not.toThrow();
    });
  });

  it('finds a lock that becomes valid again', () => {
    const ledger = new Ledger();
    const lock = planted('undead', 1);
    ledger.began(PROCESS, lock);
    lock.validity = 0;
    ledger.check();
    lock.validity = 50;
    expect(() => ledger.check()).toThrow('validity ends once');
  });

  it('allows that where only the suspension of its machine let it look over, but finds another holder meanwhile', () => {
    const ledger = new Ledger();
    const [holder, lock] = [{ ...PROCESS, isSuspended: true }, planted('asleep', 1)];
    ledger.began(holder, lock);
    lock.validity = 0;
    ledger.check();
    [holder.isSuspended, lock.validity] = [false, 90];
    expect(() => ledger.check()).not.toThrow();
    holder.isSuspended = true;
    expect(() => ledger.began({ ...PROCESS, name: 'process-2' }, planted('second', 2))).toThrow('exclusion');
  });

  it('finds a loser that was not told, unless its process stands still', () => {
    const ledger = new Ledger();
    const [unaware, excused] = [planted('unaware', 1, ['a']), planted('excused', 1, ['b'])];
    ledger.began(PROCESS, unaware);
    ledger.began({ ...PROCESS, name: 'paused', isLate: true }, excused);
    unaware.validity = 0;
    excused.validity = 0;
    ledger.began(PROCESS, planted('next', 2, ['b']));
    expect(() => ledger.began(PROCESS, planted('next', 3, ['a']))).toThrow('told in time');
  });

  it('judges by continuity when it is told to: a lock that another process had meanwhile is not extended', () => {
    const ledger = new Ledger('continuity');
    const lock = planted('robbed', 1);
    ledger.began(PROCESS, lock);
    ledger.began(PROCESS, planted('robber', 2));
    lock.validity = 90;
    ledger.check();
    lock.validity = 120;
    expect(() => ledger.check()).toThrow('continuity: robbed of process-1 was extended');
  });
});
