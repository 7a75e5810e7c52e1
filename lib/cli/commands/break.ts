import type { Answer, Unknown } from '../../engine/lock-node.js';
import { ignore } from '../../engine/native-timers.js';
import { quorumOf } from '../../engine/pool.js';
import { agrees, EXIT, exitCodeOf, type Io, type Outcome, UsageError } from '../io.js';
import { FREE, type LockView, lockViews, named } from '../locks/lock-view.js';
import { allSlotsOf, type MissedNode, missedOf } from '../locks/list-locks.js';
import { type NodeSession, withLockNode, withSessions } from '../nodes/node-session.js';
import { paragraph, plain } from '../output/layout.js';
import { maxTtlOf, type Settings } from '../settings.js';
import { lockTable, missedText, outcomeWith } from './ls.js';

export interface BreakOptions {
  readonly resource: string;
  /** The value to release, and no other. */
  readonly value?: string | undefined;
  /** Do not ask. */
  readonly yes?: boolean | undefined;
}

/** What became of a release on one node. */
interface Released {
  readonly node: string;
  /** `gone`: the node had another value, or none. */
  readonly kind: 'released' | 'gone' | 'failed';
  readonly reason?: string | undefined;
}

/** What the nodes have of a resource. */
interface Look {
  readonly view: LockView;
  readonly missed: readonly MissedNode[];
  /** The slots of the resource that are held. */
  readonly slots: readonly string[];
  /** For people. */
  readonly table: (columns: number) => string;
}

const WARNING =
  'This does not stop the holder: the holder goes on working until its next extension fails, or its ttl ends. Meanwhile the next ' +
  'in line works, too. Only the fencing token stops what the old holder writes: break a lock only if its writes carry the token, or if ' +
  'the holder is certainly gone.';

/** Shows who holds a lock, asks, and releases that very value, so that the next in line has the lock in the same step. */
export async function breakLock(settings: Settings, options: BreakOptions, io: Io): Promise<Outcome> {
  checkOptions(options, io);
  const before = await withSessions(settings, (sessions) => look(sessions, options.resource));
  const value = options.value ?? before.view.value;
  const nodes = settings.addresses.length;
  const hindrance = hindranceOf(before, value, nodes);
  if (hindrance !== undefined || value === undefined) {
    const isKnown = nodes - before.missed.length >= quorumOf(nodes);
    return nothing(before, hindrance ?? '', isKnown ? EXIT.nothingReleased : EXIT.noQuorum);
  }
  if (!options.yes) {
    const { columns = Infinity } = io;
    const preview = [before.table(columns), ...missedText(before.missed, columns), '', paragraph(WARNING, columns)];
    if (!(await agrees(io, settings.json, `${preview.join('\n')}\n\n`, `Release the value ${plain(value)}?`)))
      return nothing(before, 'nothing was released', EXIT.nothingReleased);
  }
  // New sessions, since the operator may have thought for long.
  return withSessions(settings, (sessions) => release(sessions, before, value));
}

/** @throws UsageError if nobody can be asked, and the options do not say what to release */
function checkOptions({ value, yes }: BreakOptions, { ask }: Io): void {
  if (yes && value === undefined)
    throw new UsageError(
      'break --yes takes --value as well: the value of the lock as `ls --json` shows it, so that no other lock is broken',
    );
  if (!yes && ask === undefined)
    throw new UsageError('break asks before it releases, and there is no terminal: give --yes --value <value>');
}

async function look(sessions: readonly NodeSession[], resource: string): Promise<Look> {
  const [view, ...slots] = await lockViews(sessions, [resource, ...allSlotsOf(resource)]);
  return {
    view: view!,
    slots: slots.filter(({ held }) => held).map(({ resource: slot }) => slot),
    missed: missedOf(sessions),
    table: (columns) => lockTable([view!], sessions, columns),
  };
}

/** Returns why the wanted value is not to be released, or cannot be. */
function hindranceOf({ view, missed, slots }: Look, wanted: string | undefined, nodes: number): string | undefined {
  const { kind, value } = view;
  const name = plain(view.resource);
  if (wanted !== undefined && view.nodes.some((node) => node.value === wanted)) return undefined;
  const [answered, quorum] = [nodes - missed.length, quorumOf(nodes)];
  if (answered < quorum)
    return `whether anybody holds ${name} is unknown: ${answered} of ${nodes} nodes answered, and a lock needs ${quorum}`;
  if (value !== undefined) return `${name} has another value by now: ${plain(value)}`;
  if (kind !== FREE) return `${name} is ${kind}, which this command does not touch`;
  return slots.length === 0 ? `nobody holds ${name}` : `${name} has slots: give one of ${plain(slots.join(', '))}`;
}

async function release(sessions: readonly NodeSession[], before: Look, value: string): Promise<Outcome> {
  const { resource, nodes } = before.view;
  const holding = sessions.filter(({ name }) => nodes.some((node) => node.node === name && node.value === value));
  const answers = await Promise.all(holding.map((session) => releaseOn(session, resource, value)));
  const after = await look(sessions, resource);
  const failed = answers.flatMap(({ node, kind, reason = '' }) => (kind === 'failed' ? [{ node, reason }] : []));
  const missed = [...failed, ...after.missed.filter(({ node }) => failed.every((one) => one.node !== node))];
  const released = answers.filter(({ kind }) => kind === 'released').length;
  const isGone = released === 0 && failed.length === 0;
  const code = exitCodeOf(sessions.length - missed.length, sessions.length, quorumOf(sessions.length));
  const text = `Released on ${released} of ${sessions.length} nodes. ${holderNow(after.view, sessions.length)}`;
  const json = { released: released > 0, value, before: before.view, after: after.view, nodes: answers };
  return outcomeWith(isGone ? EXIT.nothingReleased : code, text, missed, json);
}

function holderNow({ held, holder, votes, nodes }: LockView, count: number): string {
  if (held === null) return `Who has it now is unknown: ${nodes.length} of ${count} nodes answered.`;
  if (!held || holder === undefined) return 'Nobody has it now.';
  return `It is with ${plain(named(holder))} now, ${votes} of ${count} votes.`;
}

/**
 * Releases this value and no other, as its holder would: in the same step the first in line gets the resource. A node with a marker is asked
 * with quarantine, so that it gives no lock away if it may have forgotten locks; on a node without one nothing is noted.
 */
async function releaseOn(session: NodeSession, resource: string, value: string): Promise<Released> {
  const { name, settings, marker, obstacle } = session;
  if (obstacle !== undefined) return { node: name, kind: 'failed', reason: obstacle };
  const ttl = maxTtlOf(settings, marker?.longest);
  const answer = await withLockNode(
    session,
    { keyPrefix: settings.prefix, restartQuarantine: marker !== undefined },
    async (node) => {
      await node.open({ event: ignore, identified: ignore, handedOff: ignore, dated: ignore });
      return new Promise<Answer>((resolve) =>
        node.send([{ kind: 'release', resource, value, what: 'stay', ttl }], (answers) =>
          resolve(Array.isArray(answers) ? (answers as readonly Answer[])[0]! : (answers as Unknown)),
        ),
      );
    },
  ).catch((error: Error): Answer => ({ kind: 'unknown', reason: error.message, sent: true }));
  if (answer.kind === 'released' || answer.kind === 'gone') return { node: name, kind: answer.kind };
  return { node: name, kind: 'failed', reason: 'reason' in answer ? answer.reason : answer.kind };
}

function nothing({ view, missed }: Look, why: string, code: number): Outcome {
  return outcomeWith(code, why, missed, { released: false, reason: why, before: view });
}
