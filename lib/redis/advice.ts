/**
 * Matches the error of a node that does not know the commands that run scripts, and of a Valkey whose Lua, a module from 9.1 on, is not loaded.
 * Keys follow in the first error, and logs must not show them.
 */
const NO_SCRIPTS = /^ERR (unknown command\W+eval(sha)?\b|could not find scripting engine)/i;

/** Why a node without EVAL and EVALSHA gives no votes, and what to do about it. */
export const NO_LUA =
  'it runs no Lua scripts, which all locks need: allow EVAL and EVALSHA, or load the Lua module of Valkey. If scripts are off because of ' +
  'a security hole, update the server';

/** Returns the text of an error, or that the node runs no Lua scripts, if that is what the error says. */
export function withoutKeys(error: string): string {
  return NO_SCRIPTS.test(error) ? NO_LUA : error;
}

/** What to do about an error of a node. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^(READONLY|MASTERDOWN)/, 'it is a replica: point the pool at the master'],
  [/^OOM/, 'its memory is full: raise its maxmemory, and keep other data elsewhere'],
  [/^NOREPLICAS/, 'its min-replicas-to-write wants more replicas than there are: repair them, or set it to 0'],
  [/^NOPERM .*'eval(sha)?'/i, 'grant its user +eval +evalsha, which all locks need'],
  // Inside of a script Redis has words of its own for it, up to 7.0 others than from 7.2 on, and so has Valkey.
  [
    /^NOPERM|^ERR (The user executing the|ACL failure in) script/,
    'grant its user all permissions of locks; npx nestjs-redlock doctor lists the missing ones',
  ],
  [/^MISCONF/, 'it cannot save to its disk: its own log says why'],
  [/^BUSY/, 'a script of another client blocks it: find that client'],
  [/^(CLUSTERDOWN|CROSSSLOT|MOVED|ASK|TRYAGAIN)\b/, 'it runs in cluster mode: name independent masters'],
  [/^LOADING/, 'it loads its data, and votes after that'],
  [/^its clock is more than/, 'correct its clock by NTP'],
];

/** Returns the reason of a refusal, with what to do about it if that is known. */
export function advised(reason: string): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
  return advice === undefined ? reason : `${reason.replace(/\.$/, '')} - ${advice}`;
}
