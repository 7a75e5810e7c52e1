import { quorumOf } from '../../core/quorum/quorum.js';
import { EXIT, exitCodeOf, UsageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { named } from '../locks/holders.js';
import { FREE } from '../locks/kinds.js';
import { lockViews, type LockView } from '../locks/lock-view.js';
import type { NodeSession } from '../nodes/node-session.js';
import { plain } from '../output/plain.js';
import { releaseOn } from '../locks/release.js';
import { listText } from './ls.js';
import type { Outcome } from './outcome.js';

export interface BreakOptions {
  readonly resource: string;
  /** The value that is to be released, and no other. */
  readonly value?: string | undefined;
  /** Do not ask. */
  readonly yes?: boolean | undefined;
  /** Whether the output is for machines: then the question goes elsewhere. */
  readonly json?: boolean | undefined;
}

const WARNING = [
  'The holder is not stopped by this: it goes on working until its next extension fails, or its ttl is over. Meanwhile the next in line works,',
  'too. Only the fencing token stops what the old holder writes: break a lock only if its writes carry one, or if the holder is certainly gone.',
].join('\n');

/** Shows who holds a lock, asks, and releases that very value, so that the next in line has the lock in the same step. */
export async function breakLock(sessions: readonly NodeSession[], options: BreakOptions, io: Io): Promise<Outcome> {
  checkOptions(options, io);
  const { resource } = options;
  const before = await viewOf(sessions, resource);
  const value = options.value ?? before.value;
  const hindrance = hindranceOf(before, value);
  if (hindrance !== undefined || value === undefined) return nothing(before, hindrance ?? '');
  if (!options.yes) {
    const preview = `${listText({ locks: [before], isCut: false }, sessions)}\n\n${WARNING}\n\n`;
    if (options.json) io.complain(preview);
    else io.print(preview);
    const answer = await io.ask!(`Release the value ${plain(value)}? [yes/no] `);
    if (answer.trim().toLowerCase() !== 'yes') return nothing(before, 'nothing was released');
  }
  return released(sessions, { before, value });
}

/** @throws UsageError where nobody can be asked, and the options do not say what is to be released */
function checkOptions({ value, yes }: BreakOptions, { ask }: Io): void {
  if (yes && value === undefined)
    throw new UsageError(
      'break --yes takes --value as well: the value of the lock as `ls --json` shows it, so that no other lock is broken',
    );
  if (!yes && ask === undefined)
    throw new UsageError('break asks before it releases, and there is no terminal: give --yes --value <value>');
}

/** Returns why the wanted value is not to be released, or cannot be. */
function hindranceOf({ resource, kind, nodes, value }: LockView, wanted: string | undefined): string | undefined {
  const name = plain(resource);
  if (wanted !== undefined && nodes.some((node) => node.value === wanted)) return undefined;
  if (value !== undefined) return `${name} has another value by now: ${plain(value)}`;
  return kind === FREE ? `nobody holds ${name}` : `${name} is ${kind}, which this command does not touch`;
}

async function released(
  sessions: readonly NodeSession[],
  { before, value }: { readonly before: LockView; readonly value: string },
): Promise<Outcome> {
  const holding = sessions.filter(({ name }) =>
    before.nodes.some((node) => node.node === name && node.value === value),
  );
  const answers = await releaseOn(holding, before.resource, value);
  const failed = answers.filter(({ kind }) => kind === 'failed');
  const after = await viewOf(sessions, before.resource);
  const up = sessions.filter(({ isUp }) => isUp).length - failed.length;
  const now =
    after.holder === undefined
      ? 'Nobody has it now.'
      : `It is with ${plain(named(after.holder))} now, ${after.votes} of ${sessions.length} votes.`;
  const gone = answers.filter(({ kind }) => kind === 'released').length;
  const lines = [
    `Released on ${gone} of ${sessions.length} nodes. ${now}`,
    ...failed.map(({ node, reason }) => `! ${plain(node)} did not release it: ${plain(reason ?? '')}`),
  ];
  return {
    code:
      gone === 0 && failed.length === 0
        ? EXIT.nothingReleased
        : exitCodeOf(up, sessions.length, quorumOf(sessions.length)),
    text: lines.join('\n'),
    json: { released: gone > 0, value, before, after, nodes: answers },
  };
}

async function viewOf(sessions: readonly NodeSession[], resource: string): Promise<LockView> {
  const [view] = await lockViews(sessions, [resource]);
  return view!;
}

function nothing(before: LockView, why: string): Outcome {
  return { code: EXIT.nothingReleased, text: why, json: { released: false, reason: why, before } };
}
