/**
 * Matches the error of a node that does not know the commands that run scripts, and of a Valkey whose Lua, a module from 9.1 on, is not loaded.
 * Keys follow in the first error, and logs must not show them.
 */
const NO_SCRIPTS = /^ERR (unknown command\W+eval(sha)?\b|could not find scripting engine)/i;

/** Why a node without EVAL and EVALSHA gives no votes, and what to do about it. */
export const NO_LUA =
  'it runs no Lua scripts, by which all locks work: give it EVAL and EVALSHA back, or a Valkey its module for Lua, and where they were taken ' +
  'away because of a hole in the server, update the server instead';

/** Returns the text of an error, or that the node runs no Lua scripts, if that is what the error says. */
export function withoutKeys(error: string): string {
  return NO_SCRIPTS.test(error) ? NO_LUA : error;
}

/** How to find out which permissions are missing. */
const RIGHTS = 'npx nestjs-redlock doctor lists what is missing';

/** What to do about an error of a node. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^(READONLY|MASTERDOWN)/, 'it is a replica: point the pool at the master'],
  [/^OOM/, 'its memory is full: raise its maxmemory, and keep other data elsewhere'],
  [/^NOREPLICAS/, 'its min-replicas-to-write wants more replicas than there are: repair them, or set it to 0'],
  [/^NOPERM .*'eval(sha)?'/i, `grant its user +eval +evalsha, by which all locks work; ${RIGHTS}`],
  // Inside of a script Redis has words of its own for it, up to 7.0 others than from 7.2 on, and so has Valkey.
  [
    /^NOPERM|^ERR (The user executing the|ACL failure in) script/,
    `grant its user the permissions of docs/concepts/waiting.md; ${RIGHTS}`,
  ],
  [/^MISCONF/, 'it cannot save to its disk: its own log says why'],
  [/^BUSY/, "somebody's script keeps it busy: find out whose"],
  [/^(CLUSTERDOWN|CROSSSLOT|MOVED|ASK|TRYAGAIN)\b/, 'it runs in cluster mode: name independent masters'],
  [/^LOADING/, 'it reads its file, and votes when it is through'],
  [/^its clock is more than/, 'set its clock right, by NTP'],
];

/** Returns the reason of a refusal, with what to do about it if that is known. */
export function advised(reason: string): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
  return advice === undefined ? reason : `${reason.replace(/\.$/, '')} - ${advice}`;
}
