import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '../version.js';
import { breakLock } from './commands/break.js';
import { doctor } from './commands/doctor.js';
import { ls } from './commands/ls.js';
import { show, type Outcome } from './commands/outcome.js';
import { status } from './commands/status.js';
import { watch } from './commands/watch.js';
import { EXIT, UsageError } from './exit-code.js';
import type { Io } from './io.js';
import { withSessions, type NodeSession } from './nodes/node-session.js';
import { settingsOf, type GivenOptions, type Settings } from './settings.js';

const ABOUT = `What operators ask about the locks of nestjs-redlock. It needs the nodes only, and works while no application runs.

Ends with 0 where all is well, 1 where something is not as it should be, 2 where there is no quorum, 3 where break has released nothing, and 64 where it was called in a wrong way.`;

const NODES =
  'the addresses of all nodes, separated by commas: redis://user:password@host:6379/0, rediss://... (default: REDLOCK_NODES)';

/** Runs the command and returns the code with which it ends. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const ending = { code: EXIT.fine as number };
  const program = new Command('nestjs-redlock').description(ABOUT).version(VERSION);
  program.exitOverride().configureOutput({ writeOut: (text) => io.print(text), writeErr: (text) => io.complain(text) });
  addLooking(program, { io, ending });
  addBreak(program, { io, ending });
  try {
    await program.parseAsync(args, { from: 'user' });
    return ending.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    io.complain(`error: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failure;
  }
}

interface Running {
  readonly io: Io;
  readonly ending: { code: number };
}

type CommandWork = (sessions: readonly NodeSession[], settings: Settings) => Promise<Outcome>;

async function onNodes(given: GivenOptions, { io, ending }: Running, work: CommandWork): Promise<void> {
  const settings = settingsOf(given, io.env);
  const outcome = await withSessions(settings, (sessions) => work(sessions, settings));
  show(outcome, settings.json, io);
  ending.code = outcome.code;
}

/** Adds the commands that only look. */
function addLooking(program: Command, running: Running): void {
  common(program.command('status').description('which nodes vote, and whether that is enough for locks')).action(
    (given: GivenOptions) => onNodes(given, running, (sessions) => status(sessions)),
  );
  common(program.command('doctor').description('what endangers locks on these nodes, why it matters, and what to do'))
    .option('--node-timeout <ms>', 'nodeTimeout of the application', positive, 50)
    .option('--acl-user <name>', 'the user of the locks, whose rights are looked at (default: that of the address)')
    .action((given: GivenOptions & { nodeTimeout: number; aclUser?: string }) =>
      onNodes(given, running, (sessions, settings) => doctor(sessions, settings, given)),
    );
  listing(program.command('ls').description('what is locked, by whom, and who waits for it')).action(
    (pattern: string, given: GivenOptions & { limit: number }) =>
      onNodes(given, running, (sessions) => ls(sessions, { pattern, limit: given.limit })),
  );
  listing(program.command('watch').description('status and ls again and again, until Ctrl-C'))
    .option('--interval <ms>', 'the time between two looks', positive, 2_000)
    .action(async (pattern: string, given: GivenOptions & { limit: number; interval: number }) => {
      const { limit, interval } = given;
      const settings = settingsOf(given, running.io.env);
      running.ending.code = await watch(settings, { pattern, limit, interval }, running.io);
    });
}

function addBreak(program: Command, running: Running): void {
  common(program.command('break').description('shows who holds a lock, asks, and gives it to the next in line'))
    .argument('<resource>', 'the name of the resource, without the prefix')
    .option('--value <value>', 'releases this value and no other')
    .option('--yes', 'does not ask; takes --value as well')
    .action((resource: string, given: GivenOptions & { value?: string; yes?: boolean }) =>
      onNodes(given, running, (sessions, { json }) => breakLock(sessions, { ...given, resource, json }, running.io)),
    );
}

/** Adds the options that all commands have. */
function common(command: Command): Command {
  return command
    .addOption(new Option('--nodes <urls>', NODES))
    .option('--prefix <prefix>', 'keyPrefix of the application', 'lock:')
    .option('--timeout <ms>', 'how long a node may take to answer', positive, 2_000)
    .option('--max-ttl <ms>', 'maxTtl of the application (default: what its clients have noted on the nodes)', positive)
    .option('--json', 'for machines');
}

function listing(command: Command): Command {
  return common(command)
    .argument('[pattern]', 'which resources, as SCAN matches them: order:* or user:?', '*')
    .option('--limit <count>', 'how many resources at most', positive, 1_000);
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}
