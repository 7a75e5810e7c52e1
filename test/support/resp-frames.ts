const TEXTS = '$=!';
const LISTS = '*~>';
const MAPS = '%|';

/** Cuts what a node sends, in RESP3, into whole replies and pushes, however it arrives in chunks. */
export class RespFrames {
  #unread = Buffer.alloc(0);

  /** What is complete with this chunk. */
  read(chunk: Buffer): Buffer[] {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    const frames: Buffer[] = [];
    for (let end = endOf(this.#unread, 0); end !== undefined; end = endOf(this.#unread, 0)) {
      frames.push(this.#unread.subarray(0, end));
      this.#unread = this.#unread.subarray(end);
    }
    return frames;
  }
}

/** Where what begins at `start` ends; undefined where that has not arrived yet. */
function endOf(buffer: Buffer, start: number): number | undefined {
  const lineEnd = buffer.indexOf('\r\n', start);
  if (lineEnd < 0) return undefined;
  const type = String.fromCharCode(buffer[start]!);
  const size = Number(buffer.toString('latin1', start + 1, lineEnd));
  const next = lineEnd + 2;
  if (TEXTS.includes(type)) return size < 0 ? next : within(buffer, next + size + 2);
  if (LISTS.includes(type)) return endOfItems(buffer, next, size);
  return MAPS.includes(type) ? endOfItems(buffer, next, 2 * size) : next;
}

function endOfItems(buffer: Buffer, start: number, count: number): number | undefined {
  let end: number | undefined = start;
  for (let item = 0; item < count && end !== undefined; item += 1) end = endOf(buffer, end);
  return end;
}

function within(buffer: Buffer, end: number): number | undefined {
  return end <= buffer.length ? end : undefined;
}
