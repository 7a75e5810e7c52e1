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
    const { signal } = new Departure(client);
    expect(signal.aborted).toBe(false);
    client.close();
    expect(signal.reason).toBeInstanceOf(HttpException);
    expect((signal.reason as HttpException).getStatus()).toBe(499);
    expect(client.listenerCount('close')).toBe(0);
  });

  it('is aborted where the client has gone before', () => {
    const client = connect();
    client.close();
    expect(new Departure(client).signal.aborted).toBe(true);
    expect(client.listenerCount('close')).toBe(0);
  });

  it('does not abort any more once it has ended, and leaves no listener', () => {
    const client = connect();
    const departure = new Departure(client);
    departure.end();
    departure.end();
    expect(client.listenerCount('close')).toBe(0);
    client.close();
    departure.leave();
    expect(departure.signal.aborted).toBe(false);
  });

  it('listens once for all calls of one connection', () => {
    const client = connect();
    const departures = Array.from({ length: 20 }, () => new Departure(client));
    expect(client.listenerCount('close')).toBe(1);
    departures[0]!.end();
    client.close();
    expect(departures.map(({ signal }) => signal.aborted)).toEqual([false, ...Array(19).fill(true)]);
    expect(client.listenerCount('close')).toBe(0);
  });
});

describe('Departure, without a client', () => {
  it('aborts when the call is told to leave', () => {
    const departure = new Departure(undefined);
    departure.leave(new Error('enough'));
    expect(departure.signal.reason).toEqual(new Error('enough'));
  });

  it('aborts with another signal, also where that has aborted before', () => {
    const outer = new AbortController();
    const departure = new Departure(undefined, outer.signal);
    outer.abort('why');
    expect(departure.signal.reason).toBe('why');
    expect(new Departure(undefined, outer.signal).signal.reason).toBe('why');
  });

  it('leaves no listener on that once it has ended', () => {
    const { signal } = new AbortController();
    const departure = new Departure(new Connection(), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    departure.end();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
