import { quorumOf } from '../../core/quorum/quorum.js';
import { exitCodeOf } from '../exit-code.js';
import { listLocks, type LockList } from '../locks/list-locks.js';
import { named } from '../locks/holders.js';
import type { LockView } from '../locks/lock-view.js';
import type { NodeSession } from '../nodes/node-session.js';
import { ago, duration } from '../output/duration.js';
import { plain } from '../output/plain.js';
import { table } from '../output/table.js';
import type { Outcome } from './outcome.js';

const HEAD = ['RESOURCE', 'HOLDER', 'PROCESS SINCE', 'TTL LEFT PER NODE', 'VOTES', 'WAITERS', 'KIND'];

export interface ListOptions {
  readonly pattern: string;
  readonly limit: number;
}

/** Lists what is locked, by whom, and who waits for it. */
export async function ls(sessions: readonly NodeSession[], options: ListOptions): Promise<Outcome> {
  const list = await listLocks(sessions, options);
  const up = sessions.filter(({ isUp }) => isUp);
  const quorum = quorumOf(sessions.length);
  const nodes = sessions.map(({ name, isUp, obstacle }) => ({ node: name, up: isUp, reason: obstacle }));
  return {
    code: exitCodeOf(up.length, sessions.length, quorum),
    json: { nodes, quorum, locks: list.locks, more: list.isCut },
    text: [listText(list, sessions), ...downText(sessions)].join('\n'),
  };
}

export function listText({ locks, isCut }: LockList, sessions: readonly NodeSession[]): string {
  if (locks.length === 0) return 'Nothing is locked.';
  const rows = locks.map((lock) => rowOf(lock, sessions));
  return `${table(HEAD, rows)}${isCut ? `\n... and more: give a pattern, or a greater --limit` : ''}`;
}

function downText(sessions: readonly NodeSession[]): string[] {
  const down = sessions.filter(({ isUp }) => !isUp);
  return down.map(({ name, obstacle }) => `! ${plain(name)} was not asked: ${plain(obstacle ?? '')}`);
}

function rowOf(lock: LockView, sessions: readonly NodeSession[]): string[] {
  const { resource, holder, votes, waiters, kind } = lock;
  return [
    plain(resource),
    holder === undefined ? '-' : plain(named(holder)),
    holder?.since === undefined ? '-' : ago(holder.since),
    sessions.map(({ name }) => ttlOn(lock, name)).join(' | '),
    `${votes}/${sessions.length}`,
    String(waiters.length),
    plain(kind),
  ];
}

/** Returns how long a node keeps it: ? for a node that was not asked, - for one that has nothing, and "no end" for a key without a ttl. */
function ttlOn({ nodes }: LockView, name: string): string {
  const view = nodes.find(({ node }) => node === name);
  if (view === undefined) return '?';
  if (view.ttl === undefined) return '-';
  return view.ttl === null ? 'no end' : duration(view.ttl);
}
