/** The words of the commands in `text`, as a server that speaks the protocol reads them; throws where it could not. */
export function wordsOf(text: string): string[][] {
  const wire = Buffer.from(text);
  const commands: string[][] = [];
  let at = 0;
  const line = (kind: string): number => {
    const end = wire.indexOf('\r\n', at);
    const found = wire.toString('utf8', at, end);
    if (found[0] !== kind || !/^.\d+$/.test(found)) throw new Error(`not a ${kind} line at ${at}: ${found}`);
    at = end + 2;
    return Number(found.slice(1));
  };
  const word = (): string => {
    const length = line('$');
    const found = wire.toString('utf8', at, at + length);
    if (wire.toString('utf8', at + length, at + length + 2) !== '\r\n') throw new Error(`no end of "${found}"`);
    at += length + 2;
    return found;
  };
  while (at < wire.length) {
    const count = line('*');
    commands.push(Array.from({ length: count }, word));
  }
  return commands;
}
