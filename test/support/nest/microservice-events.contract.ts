import { describe, expect, it } from '@jest/globals';
import { eventually } from '../eventually.js';
import type { MicroservicePair } from './microservice-pair.js';
import { keysOn, untilFree } from './nodes.js';
import { ask } from './test-microservice.js';

/** What holds for events, and for data that pipes make something else of. */
export function describeEvents(pair: MicroservicePair): void {
  describe('with events', () => {
    it('handles them one after the other', async () => {
      pair.door.shut();
      pair.emitBoth('event', { id: 'event' });
      await pair.door.untilVisits(1);
      await pair.contended('event');
      expect(pair.door.inside).toBe(1);
      pair.door.open();
      await pair.door.untilVisits(2);
      await untilFree(pair.servers);
      expect(pair.door.most).toBe(1);
    });

    it('handles one of them, where the others skip', async () => {
      pair.door.shut();
      pair.emitBoth('once', { id: 'once' });
      await pair.door.untilVisits(1);
      await pair.contended('once');
      pair.door.open();
      await untilFree(pair.servers);
      expect(pair.door.visits).toEqual(['once']);
    });

    it('says so in the log, where one is refused: nobody else hears of it', async () => {
      await using holder = await pair.two.service.redlock.acquire('order:refused');
      pair.emitBoth('refused', { id: 'refused' });
      await eventually(() => expect(pair.logged('warn')).toHaveLength(2));
      expect(pair.logged('warn')[0]).toMatchObject({ message: expect.stringContaining('"order:*" is locked') });
      expect(pair.door.visits).toEqual([]);
      expect(holder.isValid).toBe(true);
    });
  });

  describe('with pipes', () => {
    const acquired = (): unknown[] => pair.logs.flatMap((log) => log.acquired);
    /** Resolves when every replica that got these messages is through with them: a client hears of the first alone. */
    const allHandled = async (messages: number): Promise<void> => {
      await eventually(() => expect(acquired()).toHaveLength(messages * (pair.transport.broadcasts ? 2 : 1)));
      await untilFree(pair.servers);
    };

    it('locks by the data as they came, or by the argument as pipes left it', async () => {
      const email = ' A@B.example ';
      expect((await ask(pair.one.client, 'raw-sign-up', { email })).values?.[0]).toBe('a@b.example');
      expect((await ask(pair.one.client, 'sign-up', { email })).values?.[0]).toBe('a@b.example');
      await allHandled(2);
      expect(new Set(acquired())).toEqual(new Set(['user: A@B.example ', 'user:a@b.example']));
    });

    it('takes no lock by an argument that pipes refuse', async () => {
      expect((await ask(pair.one.client, 'sign-up', { email: 'nobody' })).error).toMatchObject({ message: 'invalid' });
      expect([acquired(), await keysOn(pair.servers)]).toEqual([[], []]);
      expect((await ask(pair.one.client, 'raw-sign-up', { email: 'nobody' })).error).toMatchObject({
        message: 'invalid',
      });
      await allHandled(1);
      expect(acquired()).toContain('user:nobody');
    });
  });
}
