import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { HttpException } from '@nestjs/common';
import { onDisconnect, type HttpResponse } from '../../../lib/with-lock/disconnect.js';

class RawResponse extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

const express = (raw: RawResponse): HttpResponse => raw as unknown as HttpResponse;
const fastify = (raw: RawResponse): HttpResponse => ({ raw, header: () => undefined });

describe.each([
  ['Express', express],
  ['Fastify', fastify],
])('onDisconnect, with %s', (_platform, toResponse) => {
  it('aborts when the client goes away', () => {
    const raw = new RawResponse();
    const { signal } = onDisconnect(toResponse(raw));
    expect(signal.aborted).toBe(false);
    raw.close();
    expect(signal.reason).toBeInstanceOf(HttpException);
    expect((signal.reason as HttpException).getStatus()).toBe(499);
  });

  it('is aborted where the client has gone before', () => {
    const raw = new RawResponse();
    raw.close();
    expect(onDisconnect(toResponse(raw)).signal.aborted).toBe(true);
  });

  it('does not abort any more once it is told to ignore that, and leaves no listener', () => {
    const raw = new RawResponse();
    const { signal, ignore } = onDisconnect(toResponse(raw));
    ignore();
    ignore();
    expect(raw.listenerCount('close')).toBe(0);
    raw.close();
    expect(signal.aborted).toBe(false);
  });
});
