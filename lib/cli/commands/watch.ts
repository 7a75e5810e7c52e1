import { setTimeout } from 'node:timers/promises';
import { jsonOf } from '../output/layout.js';
import type { Io, Outcome } from '../io.js';
import type { ListOptions } from '../locks/list-locks.js';
import { withSessions } from '../nodes/node-session.js';
import type { Settings } from '../settings.js';
import { ls } from './ls.js';
import { status } from './status.js';

const CLEAR = '\u001B[H\u001B[2J';

export interface WatchOptions extends ListOptions {
  /** Ms between two looks. */
  readonly interval: number;
}

/** Shows status and locks again and again, until a signal ends the process. */
export async function watch(settings: Settings, options: WatchOptions, io: Io): Promise<never> {
  for (;;) {
    const { json, text } = await lookOnce(settings, options);
    if (settings.json) io.print(`${jsonOf(json)}\n`);
    else io.print(io.columns === undefined ? `${text(Infinity)}\n\n` : `${CLEAR}${text(io.columns)}\n`);
    await setTimeout(options.interval);
  }
}

/** Each look makes new connections, so that a node that was down is seen again when it is back. */
function lookOnce(settings: Settings, options: ListOptions): Promise<Outcome> {
  return withSessions(settings, async (sessions) => {
    const [state, list] = await Promise.all([status(sessions), ls(sessions, options)]);
    const at = new Date().toISOString();
    return {
      code: state.code,
      text: (columns) => `${at}\n\n${state.text(columns)}\n\n${list.text(columns)}`,
      json: { at, ...list.json, ...state.json },
    };
  });
}
