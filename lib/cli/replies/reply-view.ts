import { LEADER, RESERVED } from '../../engine/resources.js';
import { literal, type ListOptions, type MissedNode, missedOf, scan } from '../locks/list-locks.js';
import { type Holder, processOf } from '../locks/lock-view.js';
import type { NodeSession } from '../nodes/node-session.js';

/** What all nodes together have of the reply to one key; never the reply itself. */
export interface ReplyView {
  readonly key: string;
  /** 'thin': kept, and some of the nodes that answered do not have it; 'running': an attempt has begun and kept nothing, and may have died. */
  readonly state: 'kept' | 'thin' | 'running';
  /** The process of the latest attempt, or of the one whose reply is kept. */
  readonly holder: Holder;
  readonly attempts: number;
  /** Ms since the latest attempt has begun. */
  readonly age: number;
  /** Ms until it is forgotten; null for never. */
  readonly expiresIn: number | null;
  /** Bytes; 0 while nothing is kept. */
  readonly size: number;
  /** How many nodes have the reply. */
  readonly copies: number;
}

/** A name by which nodes tell attempts apart: the greatest stands for what all nodes have. */
interface Ballot {
  readonly token: number;
  readonly value: string;
}

/** What one node has under a key. */
interface ReplyOnNode {
  readonly promise: Ballot;
  readonly kept: Ballot | undefined;
  readonly attempts: number;
  readonly age: number;
  readonly ttl: number | null;
  readonly size: number;
}

/** Reads what a node has of each reply: see lib/redis/scripts/records.lua.ts. The node tells the size of a reply, and keeps the reply to itself. */
const READ = `
local found, time = {}, redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function get(key, field, otherwise) return redis.call('HGET', key, field) or otherwise end
for at, key in ipairs(KEYS) do
  local promise = redis.pcall('HGET', key, 'p')
  if type(promise) == 'table' and not string.find(promise.err, 'WRONGTYPE') then return redis.error_reply(promise.err) end
  -- Of an attempt that has cleared, only the promise is left.
  if type(promise) == 'string' and not (get(key, 'n') == '0' and not get(key, 'v')) then
    found[at] = { promise, get(key, 'b', ''), get(key, 'n', '1'), now - get(key, 'o', now), redis.call('PTTL', key), #get(key, 'v', '') }
  else found[at] = {} end
end
return found
`;

type Read =
  readonly [promise: string, kept: string, attempts: string, age: number, ttl: number, size: number] | readonly [];

/** So few that a node is busy for a few milliseconds at most, since it reads the replies. */
const KEYS_PER_CALL = 100;

/** Asks all nodes that are up about the replies to these keys, and returns those that there are. */
export async function replyViews(sessions: readonly NodeSession[], keys: readonly string[]): Promise<ReplyView[]> {
  const answers = await Promise.all(sessions.map((session) => session.attempt(() => repliesOn(session, keys))));
  const known = answers.filter((answer, index) => answer !== undefined && sessions[index]!.isUp);
  return keys.flatMap(
    (key, at) =>
      viewOf(
        key,
        known.flatMap((replies) => replies![at] ?? []),
        known.length,
      ) ?? [],
  );
}

function viewOf(key: string, replies: readonly ReplyOnNode[], answered: number): ReplyView | undefined {
  const kept = latest(replies.flatMap((reply) => reply.kept ?? []));
  const shown = kept ?? latest(replies.map(({ promise }) => promise));
  // Leaders announce there who they are, and keep no reply.
  if (shown === undefined || (kept === undefined && key.startsWith(LEADER))) return undefined;
  const copies = replies.filter((reply) => reply.kept !== undefined && compare(reply.kept, shown) === 0);
  const ttls = (kept ? copies : replies).map(({ ttl }) => ttl);
  return {
    key,
    state: kept === undefined ? 'running' : copies.length < answered ? 'thin' : 'kept',
    holder: processOf(shown.value),
    attempts: Math.max(...replies.map(({ attempts }) => attempts)),
    age: Math.max(0, Math.min(...replies.map(({ age }) => age))),
    expiresIn: ttls.includes(null) ? null : Math.max(...ttls.map(Number)),
    size: copies[0]?.size ?? 0,
    copies: copies.length,
  };
}

async function repliesOn(session: NodeSession, keys: readonly string[]): Promise<(ReplyOnNode | undefined)[]> {
  const replies: (ReplyOnNode | undefined)[] = [];
  for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
    const names = keys.slice(at, at + KEYS_PER_CALL).map((key) => replyKey(session, key));
    const found = await session.ask((redis) => redis.eval(READ, names.length, ...names));
    for (const read of found as Read[]) replies.push(replyOf(read));
  }
  return replies;
}

/** Returns the name under which a node has the reply to a key. */
export function replyKey({ settings }: NodeSession, key: string): string {
  return settings.prefix + key + RESERVED.reply;
}

function replyOf([promised, kept, attempts, age, ttl, size]: Read): ReplyOnNode | undefined {
  const promise = ballotOf(promised);
  if (promise === undefined) return undefined;
  return {
    promise,
    kept: ballotOf(kept),
    attempts: Number(attempts),
    age: age!,
    ttl: ttl === -1 ? null : Math.max(0, ttl!),
    size: size!,
  };
}

function ballotOf(text = ''): Ballot | undefined {
  const [, token, value] = /^(\d{1,16}) (.*)$/s.exec(text) ?? [];
  return value === undefined ? undefined : { token: Number(token), value };
}

function latest(ballots: readonly Ballot[]): Ballot | undefined {
  return [...ballots].sort(compare).at(-1);
}

function compare(one: Ballot, other: Ballot): number {
  return one.token - other.token || Buffer.compare(Buffer.from(one.value), Buffer.from(other.value));
}

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
  return { replies, isCut: found.size > limit, missed: missedOf(sessions, stops) };
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
