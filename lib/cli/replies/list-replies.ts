import { RESERVED } from '../../engine/resources.js';
import { literal, type ListOptions, type MissedNode, scan } from '../locks/list-locks.js';
import type { NodeSession } from '../nodes/node-session.js';
import { type ReplyView, replyViews } from './reply-view.js';

export interface ReplyList {
  readonly replies: readonly ReplyView[];
  /** True if there are more than the limit. */
  readonly isCut: boolean;
  /** The nodes that may have more replies than those of the list. */
  readonly missed: readonly MissedNode[];
}

/** Finds the keys that fit a pattern and have a reply, or an attempt that has begun, in the order of their names. */
export async function listReplies(sessions: readonly NodeSession[], options: ListOptions): Promise<ReplyList> {
  const { pattern, limit } = options;
  const found = new Set<string>();
  const take = (key: string): boolean => found.add(key).size <= limit;
  const stops = await Promise.all(sessions.map((session) => session.attempt(() => findKeys(session, pattern, take))));
  const replies = await replyViews(sessions, [...found].sort().slice(0, limit));
  const missed = sessions.flatMap(({ name, obstacle }, index) => {
    const reason = obstacle ?? stops[index];
    return reason === undefined ? [] : [{ node: name, reason }];
  });
  return { replies, isCut: found.size > limit, missed };
}

/** Calls `take` with each key of a node that fits a pattern, until it returns false. Returns why it stopped early, if it did. */
async function findKeys(
  session: NodeSession,
  pattern: string,
  take: (key: string) => boolean,
): Promise<string | undefined> {
  const { prefix } = session.settings;
  if (/[\\*?[]/.test(pattern))
    return scan(session, [`${literal(prefix)}${pattern}${RESERVED.reply}`], (keys) =>
      keys.every((key) => take(key.slice(prefix.length, -RESERVED.reply.length))),
    );
  take(pattern);
  return undefined;
}
