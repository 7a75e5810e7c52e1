import type { Io } from '../../lib/cli/io.js';
import { run } from '../../lib/cli/program.js';

/** What an operator saw. */
export interface Seen {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Operator {
  readonly env?: NodeJS.ProcessEnv;
  /** Answers what is asked; without it there is no terminal. */
  readonly answer?: (question: string) => string;
  /** The width of the terminal. */
  readonly columns?: number;
}

/** Runs the command in this process. */
export async function commandLine(args: readonly string[], operator: Operator = {}): Promise<Seen> {
  const { env = {}, answer, columns } = operator;
  let [out, err] = ['', ''];
  const io: Io = {
    env,
    print: (text) => (out += text),
    complain: (text) => (err += text),
    ask: answer && (async (question) => answer(question)),
    columns,
  };
  const code = await run(args, io);
  return { code, out, err };
}

/** Runs the command for machines on these nodes, and reads what it says. */
export async function asked<Answer>(
  nodes: readonly { readonly url: string }[],
  ...args: readonly string[]
): Promise<Answer & { readonly code: number }> {
  const { code, out, err } = await commandLine([...args, '--json', '--nodes', nodes.map(({ url }) => url).join(',')]);
  if (err !== '') throw new Error(err);
  return { ...(JSON.parse(out) as Answer), code };
}
