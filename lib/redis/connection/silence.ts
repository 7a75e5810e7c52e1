/** Ms for which the oldest command may stay unanswered before nothing more is sent behind it. */
export const SUSPECT_AFTER = 1_000;
/** With more unanswered commands than this, the shorter time below applies, because all of them are kept until it is over. */
const MANY = 250;
const SUSPECT_MANY_AFTER = 250;
/** Ms between two checks of a silent connection. */
const LOOK_AGAIN_AFTER = 100;
/** Ms after which a silent connection is replaced; until then it is kept, so that the commands that it holds back stay in order. */
export const RECONNECT_AFTER = 15_000;

/** Returns after how many ms of silence a connection is checked that had been silent for `silence` ms at the latest check. */
export function suspectAfter(silence: number, unanswered: number): number {
  if (silence > 0) return silence + LOOK_AGAIN_AFTER;
  return unanswered > MANY ? SUSPECT_MANY_AFTER : SUSPECT_AFTER;
}
