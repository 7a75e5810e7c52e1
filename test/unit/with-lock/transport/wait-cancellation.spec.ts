import { EventEmitter, getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { WaitCancellation } from '../../../../lib/with-lock/transport/wait-cancellation.js';

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
])('WaitCancellation, with %s', (_client, connect) => {
  it('aborts when the client goes away', () => {
    const client = connect();
    const { signal } = new WaitCancellation({ client });
    expect(signal.aborted).toBe(false);
    client.close();
    expect(signal.reason).toBeInstanceOf(HttpException);
    expect((signal.reason as HttpException).getStatus()).toBe(499);
    expect(client.listenerCount('close')).toBe(0);
  });

  it('is aborted where the client has gone before', () => {
    const client = connect();
    client.close();
    expect(new WaitCancellation({ client }).signal.aborted).toBe(true);
    expect(client.listenerCount('close')).toBe(0);
  });

  it('does not abort any more once it has ended, and leaves no listener', () => {
    const client = connect();
    const cancellation = new WaitCancellation({ client });
    expect([cancellation.signal.aborted, client.listenerCount('close')]).toEqual([false, 1]);
    cancellation.end();
    cancellation.end();
    expect(client.listenerCount('close')).toBe(0);
    client.close();
    cancellation.cancel();
    expect(cancellation.signal.aborted).toBe(false);
  });

  it('listens once for all calls of one connection', () => {
    const client = connect();
    const departures = Array.from({ length: 20 }, () => new WaitCancellation({ client }));
    expect(client.listenerCount('close')).toBe(0);
    for (const cancellation of departures) cancellation.addEventListener('abort', () => undefined);
    expect(client.listenerCount('close')).toBe(1);
    departures[0]!.end();
    client.close();
    expect(departures.map(({ signal }) => signal.aborted)).toEqual([false, ...Array(19).fill(true)]);
    expect(client.listenerCount('close')).toBe(0);
  });
});

describe('WaitCancellation, asked without a signal', () => {
  it('knows whether the client has gone, and adds no listener', () => {
    const client = new Connection();
    const cancellation = new WaitCancellation({ client });
    expect([cancellation.aborted, cancellation.reason]).toEqual([false, undefined]);
    expect(() => cancellation.throwIfAborted()).not.toThrow();
    expect(client.listenerCount('close')).toBe(0);
    client.close();
    expect(cancellation.aborted).toBe(true);
    expect(() => cancellation.throwIfAborted()).toThrow(expect.objectContaining({ status: 499 }));
    expect(cancellation.signal.reason).toBe(cancellation.reason);
  });

  it('tells every listener that has not been removed', () => {
    const [client, heard] = [new Connection(), [] as string[]];
    const cancellation = new WaitCancellation({ client });
    const [one, two] = [(): unknown => heard.push('one'), (): unknown => heard.push('two')];
    cancellation.removeEventListener('abort', one);
    cancellation.addEventListener('abort', one);
    cancellation.addEventListener('abort', two);
    cancellation.removeEventListener('abort', one);
    client.close();
    expect(heard).toEqual(['two']);
  });
});

describe('WaitCancellation, without a client', () => {
  it('aborts when the call is told to leave', () => {
    const cancellation = new WaitCancellation();
    cancellation.cancel(() => new Error('enough'));
    expect(cancellation.signal.reason).toEqual(new Error('enough'));
  });

  it('aborts with another signal, also where that has aborted before', () => {
    const outer = new AbortController();
    const cancellation = new WaitCancellation({ signals: [outer.signal] });
    expect(cancellation.signal.aborted).toBe(false);
    outer.abort('why');
    expect(cancellation.signal.reason).toBe('why');
    expect(new WaitCancellation({ signals: [outer.signal] }).signal.reason).toBe('why');
  });

  it('leaves no listener on that once it has ended', () => {
    const { signal } = new AbortController();
    const cancellation = new WaitCancellation({ client: new Connection(), signals: [undefined, signal] });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    cancellation.addEventListener('abort', () => undefined);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    cancellation.end();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
