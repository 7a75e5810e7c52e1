import { EventEmitter, getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { Departure } from '../../../lib/with-lock/departure.js';

class Connection extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

/** As the ws package has it. */
class Socket extends EventEmitter {
  readyState = 1;

  close(): void {
    this.readyState = 3;
    this.emit('close');
  }
}

describe.each([
  ['a response', () => new Connection()],
  ['a WebSocket', () => new Socket()],
])('Departure, with %s', (_client, connect) => {
  it('aborts when the client goes away', () => {
    const client = connect();
    const { signal } = new Departure({ client });
    expect(signal.aborted).toBe(false);
    client.close();
    expect(signal.reason).toBeInstanceOf(HttpException);
    expect((signal.reason as HttpException).getStatus()).toBe(499);
    expect(client.listenerCount('close')).toBe(0);
  });

  it('is aborted where the client has gone before', () => {
    const client = connect();
    client.close();
    expect(new Departure({ client }).signal.aborted).toBe(true);
    expect(client.listenerCount('close')).toBe(0);
  });

  it('does not abort any more once it has ended, and leaves no listener', () => {
    const client = connect();
    const departure = new Departure({ client });
    expect([departure.signal.aborted, client.listenerCount('close')]).toEqual([false, 1]);
    departure.end();
    departure.end();
    expect(client.listenerCount('close')).toBe(0);
    client.close();
    departure.leave();
    expect(departure.signal.aborted).toBe(false);
  });

  it('listens once for all calls of one connection', () => {
    const client = connect();
    const departures = Array.from({ length: 20 }, () => new Departure({ client }));
    expect(client.listenerCount('close')).toBe(0);
    for (const departure of departures) departure.addEventListener('abort', () => undefined);
    expect(client.listenerCount('close')).toBe(1);
    departures[0]!.end();
    client.close();
    expect(departures.map(({ signal }) => signal.aborted)).toEqual([false, ...Array(19).fill(true)]);
    expect(client.listenerCount('close')).toBe(0);
  });
});

describe('Departure, asked without a signal', () => {
  it('knows whether the client has gone, and listens to nobody', () => {
    const client = new Connection();
    const departure = new Departure({ client });
    expect([departure.aborted, departure.reason]).toEqual([false, undefined]);
    expect(() => departure.throwIfAborted()).not.toThrow();
    expect(client.listenerCount('close')).toBe(0);
    client.close();
    expect(departure.aborted).toBe(true);
    expect(() => departure.throwIfAborted()).toThrow(expect.objectContaining({ status: 499 }));
    expect(departure.signal.reason).toBe(departure.reason);
  });

  it('tells whoever listens, unless that was taken back', () => {
    const [client, heard] = [new Connection(), [] as string[]];
    const departure = new Departure({ client });
    const [one, two] = [(): unknown => heard.push('one'), (): unknown => heard.push('two')];
    departure.removeEventListener('abort', one);
    departure.addEventListener('abort', one);
    departure.addEventListener('abort', two);
    departure.removeEventListener('abort', one);
    client.close();
    expect(heard).toEqual(['two']);
  });
});

describe('Departure, without a client', () => {
  it('aborts when the call is told to leave', () => {
    const departure = new Departure();
    departure.leave(() => new Error('enough'));
    expect(departure.signal.reason).toEqual(new Error('enough'));
  });

  it('aborts with another signal, also where that has aborted before', () => {
    const outer = new AbortController();
    const departure = new Departure({ signals: [outer.signal] });
    expect(departure.signal.aborted).toBe(false);
    outer.abort('why');
    expect(departure.signal.reason).toBe('why');
    expect(new Departure({ signals: [outer.signal] }).signal.reason).toBe('why');
  });

  it('leaves no listener on that once it has ended', () => {
    const { signal } = new AbortController();
    const departure = new Departure({ client: new Connection(), signals: [undefined, signal] });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    departure.addEventListener('abort', () => undefined);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    departure.end();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
