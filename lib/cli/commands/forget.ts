import { quorumOf } from '../../engine/pool.js';
import { agrees, EXIT, exitCodeOf, type Io, type Outcome, UsageError } from '../io.js';
import { type MissedNode, missedOf } from '../locks/list-locks.js';
import { lockViews } from '../locks/lock-view.js';
import { type NodeSession, withSessions } from '../nodes/node-session.js';
import { paragraph, plain } from '../output/layout.js';
import { replyKey, type ReplyView, replyViews } from '../replies/reply-view.js';
import type { Settings } from '../settings.js';
import { missedText, outcomeWith } from './ls.js';
import { replyTable } from './replies.js';

export interface ForgetOptions {
  readonly key: string;
  /** Also while an attempt runs. */
  readonly force?: boolean | undefined;
  /** Do not ask. */
  readonly yes?: boolean | undefined;
}

/** What the nodes have of a key. */
interface Look {
  readonly key: string;
  readonly view: ReplyView | undefined;
  /** Whether an attempt may be running: somebody holds the lock, or the latest attempt has kept nothing. */
  readonly isRunning: boolean;
  readonly missed: readonly MissedNode[];
}

interface Forgotten {
  readonly node: string;
  /** `gone`: the node had nothing. */
  readonly kind: 'forgotten' | 'gone' | 'failed';
  readonly reason?: string | undefined;
}

const WARNING =
  'The next duplicate of the request runs again, and does again what the first one has done. A reply that some node did not get in time may ' +
  'come back within a minute: look again then.';
const RUNNING = 'An attempt may be running: it writes its reply again when it ends.';

/** Shows what is kept for a key, asks, and removes it from all nodes. */
export async function forget(settings: Settings, options: ForgetOptions, io: Io): Promise<Outcome> {
  if (!options.yes && io.ask === undefined)
    throw new UsageError('forget asks before it removes a reply, and there is no terminal: give --yes');
  const nodes = settings.addresses.length;
  const before = await withSessions(settings, (sessions) => look(sessions, options.key));
  const hindrance = hindranceOf(before, nodes, options);
  if (hindrance !== undefined) {
    const isKnown = nodes - before.missed.length >= quorumOf(nodes);
    return nothing(before, hindrance, isKnown ? EXIT.nothingReleased : EXIT.noQuorum);
  }
  if (!options.yes) {
    const text = previewOf(before, nodes, io.columns);
    if (!(await agrees(io, settings.json, text, `Forget the reply for ${plain(options.key)}?`)))
      return nothing(before, 'nothing was removed', EXIT.nothingReleased);
  }
  // New sessions, since the operator may have thought for long.
  return withSessions(settings, (sessions) => remove(sessions, before));
}

async function look(sessions: readonly NodeSession[], key: string): Promise<Look> {
  const [[view], [lock]] = [await replyViews(sessions, [key]), await lockViews(sessions, [key])];
  const isRunning = view?.state === 'running' || lock?.value !== undefined;
  return { key, view, isRunning, missed: missedOf(sessions) };
}

/** Returns why nothing is to be removed. */
function hindranceOf(
  { key, view, isRunning, missed }: Look,
  nodes: number,
  { force }: ForgetOptions,
): string | undefined {
  const [answered, quorum] = [nodes - missed.length, quorumOf(nodes)];
  const name = plain(key);
  if (answered < quorum)
    return `what is kept for ${name} is unknown: ${answered} of ${nodes} nodes answered, and a reply needs ${quorum}`;
  if (view === undefined) return `nothing is kept for ${name}`;
  if (!isRunning || force) return undefined;
  return `an attempt for ${name} is running, or has died in its work: give --force if it is not to count, and the next duplicate runs again`;
}

function previewOf({ view, isRunning, missed }: Look, nodes: number, columns = Infinity): string {
  const warnings = [WARNING, ...(isRunning ? [RUNNING] : [])].map((text) => paragraph(text, columns));
  return `${[replyTable([view!], nodes, columns), ...missedText(missed, columns), '', ...warnings].join('\n')}\n\n`;
}

async function remove(sessions: readonly NodeSession[], { key, view }: Look): Promise<Outcome> {
  const nodes = await Promise.all(sessions.map((session) => removeOn(session, key)));
  const missed = nodes.flatMap(({ node, kind, reason = '' }) => (kind === 'failed' ? [{ node, reason }] : []));
  const count = nodes.filter(({ kind }) => kind === 'forgotten').length;
  const code = exitCodeOf(sessions.length - missed.length, sessions.length, quorumOf(sessions.length));
  const text = `Removed from ${count} of ${sessions.length} nodes. The next duplicate runs again.`;
  const isGone = count === 0 && missed.length === 0;
  return outcomeWith(isGone ? EXIT.nothingReleased : code, text, missed, { forgotten: count > 0, before: view, nodes });
}

async function removeOn(session: NodeSession, key: string): Promise<Forgotten> {
  const node = session.name;
  try {
    const count = await session.ask((redis) => redis.del(replyKey(session, key)));
    return { node, kind: count > 0 ? 'forgotten' : 'gone' };
  } catch (error) {
    return { node, kind: 'failed', reason: (error as Error).message };
  }
}

function nothing({ view, missed }: Look, why: string, code: number): Outcome {
  return outcomeWith(code, why, missed, { forgotten: false, reason: why, before: view });
}
