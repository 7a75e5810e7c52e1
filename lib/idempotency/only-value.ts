import { defaultIfEmpty, lastValueFrom, map, type Observable } from 'rxjs';

/** A stream that has more than one value: what it has done cannot be given again. */
export class SecondValueError extends TypeError {}

/** Resolves with the one value of a stream, or with undefined for none. Nobody ends the stream but the stream itself. */
export function onlyValue(stream: Observable<unknown>, where: string): Promise<unknown> {
  const first = stream.pipe(
    map((value, index) => {
      if (index === 0) return value;
      throw new SecondValueError(`${where}: one reply is kept, and this stream gives a second value; use toArray()`);
    }),
  );
  return lastValueFrom(first.pipe(defaultIfEmpty(undefined)));
}
