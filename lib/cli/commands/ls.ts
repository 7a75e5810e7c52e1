import { quorumOf } from '../../engine/pool.js';
import { exitCodeOf, type Outcome } from '../io.js';
import { type LockView, named } from '../locks/lock-view.js';
import {
  groupsOf,
  heldSlotsIn,
  listLocks,
  type ListOptions,
  type LockList,
  type MissedNode,
} from '../locks/list-locks.js';
import type { NodeSession } from '../nodes/node-session.js';
import { duration, paragraph, plain, solid, table } from '../output/layout.js';

const HEAD = ['RESOURCE', 'HOLDER', 'TTL LEFT PER NODE', 'VOTES', 'WAITERS', 'KIND'];

/** Lists what is locked, by whom, and who waits. */
export async function ls(sessions: readonly NodeSession[], options: ListOptions): Promise<Outcome> {
  const list = await listLocks(sessions, options);
  const { locks, missed } = list;
  return listOutcome(sessions, list, {
    json: { locks },
    table: locks.length > 0 ? (columns) => lockTable(locks, sessions, columns) : undefined,
    conclusion:
      missed.length > 0 || locks.length === 0 ? conclusion(list, sessions.length, options.pattern) : undefined,
  });
}

interface Found {
  readonly json: object;
  /** Undefined if nothing was found. */
  readonly table: ((columns: number) => string) | undefined;
  readonly conclusion: string | undefined;
}

/** Returns what a search on all nodes has found, with the nodes that it has missed. */
export function listOutcome(
  sessions: readonly NodeSession[],
  { isCut, missed }: Pick<LockList, 'isCut' | 'missed'>,
  { json, table: foundTable, conclusion: end }: Found,
): Outcome {
  const [quorum, answered] = [quorumOf(sessions.length), sessions.length - missed.length];
  const reasons = new Map(missed.map(({ node, reason }) => [node, reason]));
  const nodes = sessions.map(({ name, isUp }) => ({ node: name, up: isUp, reason: reasons.get(name) }));
  const lines = [...(isCut ? ['... and more: give a pattern, or a greater --limit'] : []), ...(end ? [end] : [])];
  return {
    code: exitCodeOf(answered, sessions.length, quorum),
    json: { nodes, quorum, answered, ...json, more: isCut },
    text: (columns) => {
      const texts = lines.map((line) => paragraph(line, columns));
      return [...(foundTable ? [foundTable(columns)] : []), ...texts, ...missedText(missed, columns)].join('\n');
    },
  };
}

/** Returns what follows from the nodes that answered: what an empty list means, and whether the list is complete. */
function conclusion({ locks, isCut, missed }: LockList, nodes: number, pattern: string): string {
  const [answered, quorum] = [nodes - missed.length, quorumOf(nodes)];
  const nothing = pattern === '*' ? 'Nothing is locked' : `Nothing that fits ${plain(pattern)} is locked`;
  if (missed.length === 0) return `${nothing}.`;
  const count = `${answered} of ${nodes} nodes answered, and a lock needs ${quorum}`;
  if (answered < quorum) return `${locks.length === 0 ? 'What is locked is unknown' : 'More may be locked'}: ${count}.`;
  if (locks.length === 0) return `${nothing}: ${count}.`;
  return isCut ? `${count}.` : `${count}: no lock is missing here.`;
}

/** Returns why nodes do not count. */
export function missedText(missed: readonly MissedNode[], columns: number): string[] {
  return missed.map(({ node, reason }) => paragraph(`${plain(node)} does not count: ${plain(reason)}`, columns, '! '));
}

/** Returns an outcome of one paragraph, with the nodes that do not count. */
export function outcomeWith(code: number, words: string, missed: readonly MissedNode[], json: object): Outcome {
  return {
    code,
    text: (columns) => [paragraph(words, columns), ...missedText(missed, columns)].join('\n'),
    json: { ...json, missed },
  };
}

export function lockTable(locks: readonly LockView[], sessions: readonly NodeSession[], columns: number): string {
  const rows = groupsOf(locks).flatMap((group) => {
    const held = heldSlotsIn(group);
    const head = held === undefined ? [] : [[plain(group.name), held, '', '', '', '']];
    return [...head, ...group.locks.map((lock) => rowOf(lock, sessions))];
  });
  return table(HEAD, rows, columns);
}

function rowOf(lock: LockView, sessions: readonly NodeSession[]): string[] {
  const { resource, holder, votes, held, waiters, kind } = lock;
  return [
    plain(resource),
    holder === undefined ? '-' : plain(named(holder)),
    sessions.map(({ name }) => solid(ttlOn(lock, name))).join(' | '),
    `${votes}/${sessions.length}${held === null ? '?' : ''}`,
    String(waiters.length),
    plain(kind),
  ];
}

/** Returns how long a node keeps it: "?" if the node did not answer, "-" if it has nothing, and "no end" for a key without a ttl. */
function ttlOn({ nodes }: LockView, name: string): string {
  const view = nodes.find(({ node }) => node === name);
  if (view === undefined) return '?';
  if (view.ttl === undefined) return '-';
  return view.ttl === null ? 'no end' : duration(view.ttl);
}
