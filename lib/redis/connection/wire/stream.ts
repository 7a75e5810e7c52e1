import type { Redis } from 'ioredis';
import { ignore } from '../../../engine/real-time.js';
import { RespScreen } from './resp-screen.js';

/** Keeps errors from ending the process. ioredis listens for the first error only, and a second one may follow, such as an alert of TLS. */
export function outliveErrors(stream: Pick<Redis['stream'], 'on' | 'listeners'> | undefined): void {
  // ioredis handles it. One listener is enough for any number of errors.
  if (stream && !stream.listeners('error').includes(ignore)) stream.on('error', ignore);
}

/**
 * Has the input of a new connection checked before ioredis reads it, and destroys the stream at the first byte that ioredis must not read. It also
 * makes Node pass input on at once: ioredis listens by `prependListener`, which Node does not notice, and would read one tick later.
 */
export function screenInput(redis: Redis): void {
  const { stream } = redis;
  const screen = new RespScreen((number) => redis.commandQueue.peekAt(number)?.command.name);
  const readers = stream.rawListeners('data');
  stream.removeAllListeners('data');
  outliveErrors(stream);
  stream.on('data', (chunk: Buffer) => {
    if (stream.destroyed) return;
    try {
      screen.check(chunk);
    } catch (error) {
      stream.destroy(error as Error);
      return;
    }
    for (const read of readers) read.call(stream, chunk);
  });
}
