import { callHandler, COLUMNS, STYLES } from './handlers.mjs';

/** @type {import('../harness/rounds.mjs').Scenario} */
export const decorator = {
  name: 'decorator',
  title: 'A lock on a Nest HTTP handler (Express, 16 connections), each request with a name of its own',
  variants: [{ name: 'POST', params: { platform: 'Express', connections: 16 }, isLong: true }],
  candidates: () => [
    STYLES.bare,
    STYLES.withLock,
    STYLES.withInterceptor,
    STYLES.decorator,
    STYLES.observed,
    STYLES.peer,
  ],
  baseline: 'bare',
  columns: COLUMNS,
  run: callHandler,
};
