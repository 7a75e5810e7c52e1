import { quorumOf } from '../../engine/pool.js';
import { exitCodeOf, type Outcome } from '../io.js';
import { type LockView, named } from '../locks/lock-view.js';
import { listLocks, type ListOptions, type LockList, type MissedNode } from '../locks/list-locks.js';
import { groupsOf, heldSlotsIn } from '../locks/slots.js';
import type { NodeSession } from '../nodes/node-session.js';
import { duration, paragraph, plain, solid, table } from '../output/layout.js';

const HEAD = ['RESOURCE', 'HOLDER', 'TTL LEFT PER NODE', 'VOTES', 'WAITERS', 'KIND'];

/** Lists what is locked, by whom, and who waits. */
export async function ls(sessions: readonly NodeSession[], options: ListOptions): Promise<Outcome> {
  const list = await listLocks(sessions, options);
  const quorum = quorumOf(sessions.length);
  const nodes = sessions.map(({ name, isUp }) => {
    const reason = list.missed.find(({ node }) => node === name)?.reason;
    return { node: name, up: isUp, reason };
  });
  return {
    code: exitCodeOf(sessions.length - list.missed.length, sessions.length, quorum),
    json: { nodes, quorum, answered: sessions.length - list.missed.length, locks: list.locks, more: list.isCut },
    text: (columns) => listText(list, sessions, { pattern: options.pattern, columns }),
  };
}

function listText(
  list: LockList,
  sessions: readonly NodeSession[],
  { pattern, columns }: { readonly pattern: string; readonly columns: number },
): string {
  const lines = list.isCut ? ['... and more: give a pattern, or a greater --limit'] : [];
  if (list.missed.length > 0 || list.locks.length === 0) lines.push(conclusion(list, sessions.length, pattern));
  const texts = lines.map((line) => paragraph(line, columns));
  if (list.locks.length > 0) texts.unshift(lockTable(list.locks, sessions, columns));
  return [...texts, ...missedText(list.missed, columns)].join('\n');
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
