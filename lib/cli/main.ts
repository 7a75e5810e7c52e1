import { createInterface } from 'node:readline/promises';
import { EXIT, type Io } from './io.js';
import { run } from './program.js';

process.on('SIGINT', () => process.exit(EXIT.interrupted));
process.on('SIGTERM', () => process.exit(EXIT.terminated));
// The program that reads the output may end before the command does.
process.stdout.on('error', () => process.exit());

/** Asks the operator; the end of the input is the empty answer. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const silenced = new AbortController();
  terminal.once('SIGINT', () => process.exit(EXIT.interrupted)).once('close', () => silenced.abort());
  try {
    return await terminal.question(question, { signal: silenced.signal });
  } catch {
    return '';
  } finally {
    terminal.close();
  }
}

const io: Io = {
  env: process.env,
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  // A terminal without a size says 0.
  columns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
};

void run(process.argv.slice(2), io).then((code) => {
  process.exitCode = code;
  // A name that never resolves, or a frozen node, would keep the process alive.
  process.stdout.write('', () => process.exit());
});
