/** The words of the commands in `wire`, as a server that speaks the protocol reads them; throws where it could not. */
export function wordsOf(wire: Buffer): string[][] {
  const commands: string[][] = [];
  let at = 0;
  const line = (kind: string): number => {
    const end = wire.indexOf('\r\n', at);
    const text = wire.toString('utf8', at, end);
    if (text[0] !== kind || !/^.\d+$/.test(text)) throw new Error(`not a ${kind} line at ${at}: ${text}`);
    at = end + 2;
    return Number(text.slice(1));
  };
  const word = (): string => {
    const length = line('$');
    const text = wire.toString('utf8', at, at + length);
    if (wire.toString('utf8', at + length, at + length + 2) !== '\r\n') throw new Error(`no end of "${text}"`);
    at += length + 2;
    return text;
  };
  while (at < wire.length) {
    const count = line('*');
    commands.push(Array.from({ length: count }, word));
  }
  return commands;
}
