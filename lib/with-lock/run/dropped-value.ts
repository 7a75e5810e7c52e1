import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';

/** Closes what a value that nobody gets would keep open, such as a file. Nest does so only where it has unsubscribed itself. */
export function closeDropped(value: unknown): void {
  const stream: unknown = value instanceof StreamableFile ? value.getStream() : value;
  if (!(stream instanceof Readable)) return;
  // It may still be about to fail, and an error to which nobody listens would end the process.
  stream.on('error', () => undefined);
  stream.destroy();
}
