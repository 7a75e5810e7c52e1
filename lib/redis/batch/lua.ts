/**
 * Matches the error of a node that does not know the commands that run scripts, and of a Valkey whose Lua, a module from 9.1 on, is not
 * loaded. Keys follow in the first error, and logs must not show them.
 */
const UNKNOWN = /^ERR (unknown command\W+eval(sha)?\b|could not find scripting engine)/i;
/** Matches the error of a node whose user may not run scripts. */
const FORBIDDEN = /^NOPERM .*'eval(sha)?'/i;

/** Why a node without EVAL and EVALSHA gives no votes, and what to do about it. */
export const NO_LUA =
  'it runs no Lua scripts, by which all locks work: give it EVAL and EVALSHA back, or a Valkey its module for Lua, and where they were taken ' +
  'away because of a hole in the server, update the server instead';

/** Returns the text of an error, or that the node runs no Lua scripts, where that is what the error says. */
export function withoutKeys(error: string): string {
  return UNKNOWN.test(error) ? NO_LUA : error;
}

/** Returns whether an error says that the node runs no Lua scripts, for anybody or for this user. */
export function isWithoutLua(error: string): boolean {
  return UNKNOWN.test(error) || FORBIDDEN.test(error);
}
