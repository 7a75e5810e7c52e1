import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { withSessions } from '../nodes/node-session.js';
import type { Settings } from '../settings.js';
import { ls, type ListOptions } from './ls.js';
import type { Outcome } from './outcome.js';
import { status } from './status.js';

const CLEAR = '\u001B[H\u001B[2J';

export interface WatchOptions extends ListOptions {
  /** Ms between two looks. */
  readonly interval: number;
}

/** Shows status and locks again and again, until the operator ends it. */
export async function watch(settings: Settings, options: WatchOptions, io: Io): Promise<number> {
  const ended = io.interrupted.aborted ? Promise.resolve() : once(io.interrupted, 'abort');
  while (!io.interrupted.aborted) {
    const look = await Promise.race([lookOnce(settings, options), ended.then(() => undefined)]);
    if (look === undefined) break;
    const text = `${look.text}\n`;
    if (settings.json) io.print(`${JSON.stringify(look.json)}\n`);
    else io.print(io.isTerminal ? `${CLEAR}${text}` : `${text}\n`);
    await setTimeout(options.interval, undefined, { signal: io.interrupted }).catch(() => undefined);
  }
  return EXIT.fine;
}

/** Each look makes new connections, so that a node that was down is seen again when it is back. */
function lookOnce(settings: Settings, options: ListOptions): Promise<Outcome> {
  return withSessions(settings, async (sessions) => {
    const [state, list] = await Promise.all([status(sessions), ls(sessions, options)]);
    const at = new Date().toISOString();
    return {
      code: state.code,
      text: `${at}\n\n${state.text}\n\n${list.text}`,
      json: { at, ...list.json, ...state.json },
    };
  });
}
