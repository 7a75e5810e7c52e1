import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { LONGEST_TIMER } from '../engine/clock.js';
import { VERSION } from '../version.js';
import { breakLock } from './commands/break.js';
import { doctor } from './commands/doctor.js';
import { forget } from './commands/forget.js';
import { ls } from './commands/ls.js';
import { replies } from './commands/replies.js';
import { status } from './commands/status.js';
import { watch } from './commands/watch.js';
import { EXIT, type Io, MEANINGS, type Outcome, show, UsageError } from './io.js';
import { withSessions } from './nodes/node-session.js';
import { paragraph, plain } from './output/layout.js';
import { type GivenOptions, type Settings, settingsOf } from './settings.js';

const ABOUT =
  'Answers what operators ask about the locks of nestjs-redlock. It asks the nodes only, and works while no application runs.';

const NODES =
  'the addresses of all nodes, separated by commas (%2C is a comma in a password): redis://user:password@host:6379/0, rediss://... (default: REDLOCK_NODES)';
const TIMEOUT = 'the time that the command, or one look of watch, may take; a node may take a quarter of it';

/** Runs a command on the nodes of these options. */
export type Act = (given: GivenOptions, work: (settings: Settings) => Promise<Outcome>) => Promise<void>;

/** Runs the command and returns its exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.fine;
  const complain = (text: string): void => io.complain(withoutPasswords(text, args));
  const act: Act = async (given, work) => {
    const settings = settingsOf(given, io.env);
    const outcome = await work(settings);
    show(outcome, settings.json, io);
    code = outcome.code;
  };
  const program = programFor(io, complain, act);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    complain(`error: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failure;
  }
}

/** Returns the command with all that it can do; the pages of docs/reference are made of it, too. */
export function programFor(io: Io, complain: (text: string) => void, act: Act): Command {
  const program = emptyProgram(io, complain);
  addLooking(program, act, io);
  addBreak(program, act, io);
  addReplies(program, act, io);
  return program;
}

function emptyProgram(
  { print, columns = 80 }: Pick<Io, 'print' | 'columns'>,
  complain: (text: string) => void,
): Command {
  const codes = Object.entries(MEANINGS).map(([name, meaning]) =>
    paragraph(meaning, columns, `  ${EXIT[name as keyof typeof EXIT]}`.padEnd(7)),
  );
  return new Command('nestjs-redlock')
    .description(ABOUT)
    .version(VERSION)
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({ writeOut: print, writeErr: complain, getOutHelpWidth: () => columns })
    .addHelpText('afterAll', ['', 'Exit codes:', ...codes].join('\n'));
}

/** Returns an error without the arguments that may be an address in the wrong place: their passwords are secret. */
function withoutPasswords(text: string, args: readonly string[]): string {
  const words = args.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  const secrets = words.filter((word) => /@|:\/\//.test(word));
  const masked = secrets.reduce((shown, word) => shown.replaceAll(word, '***'), text);
  return masked.split('\n').map(plain).join('\n');
}

/** Adds the commands that only look. */
function addLooking(program: Command, act: Act, io: Io): void {
  common(program.command('status').description('shows which nodes vote, and if these are enough for locks')).action(
    (given: GivenOptions) => act(given, (settings) => withSessions(settings, status)),
  );
  common(program.command('doctor').description('finds what endangers locks on these nodes, and says what to do'))
    .option('--node-timeout <ms>', 'nodeTimeout of the application', positive, 50)
    .option('--acl-user <name>', 'the ACL user whose permissions are checked (default: the user in the address)')
    .action((given: GivenOptions & { nodeTimeout: number; aclUser?: string }) =>
      act(given, (settings) => withSessions(settings, (sessions) => doctor(sessions, settings, given))),
    );
  listing(program.command('ls').description('shows what is locked, by whom, and who waits')).action(
    (pattern: string, given: GivenOptions & { limit: number }) =>
      act(given, (settings) => withSessions(settings, (sessions) => ls(sessions, { ...given, pattern }))),
  );
  listing(program.command('watch').description('repeats status and ls until Ctrl-C'))
    .option('--interval <ms>', 'the time between two looks', positive, 2_000)
    .action((pattern: string, given: GivenOptions & { limit: number; interval: number }) =>
      act(given, (settings) => watch(settings, { ...given, pattern }, io)),
    );
}

function addBreak(program: Command, act: Act, io: Io): void {
  common(program.command('break').description('shows who holds a lock, asks, and hands the lock to the next waiter'))
    .argument('<resource>', 'the name of the resource, without the prefix')
    .option('--value <value>', 'releases this value and no other')
    .option('--yes', 'skips the question; needs --value')
    .action((resource: string, given: GivenOptions & { value?: string; yes?: boolean }) =>
      act(given, (settings) => breakLock(settings, { ...given, resource }, io)),
    );
}

/** Adds the commands for the replies of `nestjs-redlock/idempotency`. */
function addReplies(program: Command, act: Act, io: Io): void {
  listing(program.command('replies').description('shows which replies are kept, and in how many copies')).action(
    (pattern: string, given: GivenOptions & { limit: number }) =>
      act(given, (settings) => withSessions(settings, (sessions) => replies(sessions, { ...given, pattern }))),
  );
  common(
    program.command('forget').description('shows what is kept for a key, asks, and removes it: a duplicate runs again'),
  )
    .argument('<key>', 'the key, as replies shows it')
    .option('--force', 'also while an attempt runs or is interrupted')
    .option('--yes', 'skips the question')
    .action((key: string, given: GivenOptions & { force?: boolean; yes?: boolean }) =>
      act(given, (settings) => forget(settings, { ...given, key }, io)),
    );
}

/** Adds the options that all commands have. */
function common(command: Command): Command {
  return command
    .addOption(new Option('--nodes <urls>', NODES))
    .option('--prefix <prefix>', 'keyPrefix of the application', 'lock:')
    .option('--timeout <ms>', TIMEOUT, positive, 10_000)
    .option(
      '--max-ttl <ms>',
      'maxTtl of the application (default: the value that its processes noted on the nodes)',
      positive,
    )
    .option('--json', 'one object for machines');
}

function listing(command: Command): Command {
  return common(command)
    .argument('[pattern]', 'which resources, as SCAN matches them: order:* or user:?', '*')
    .option('--limit <count>', 'the number of resources after which the search stops', positive, 1_000);
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > LONGEST_TIMER)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LONGEST_TIMER}.`);
  return value;
}
