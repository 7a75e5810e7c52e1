import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

// By a name that is made here: the type checker, which comes before the build, would miss the file.
const LITE = new URL('../../dist/sample-app/database/lite.js', import.meta.url).href;

/**
 * The address of a Postgres that both replicas reach: the configured one, else PGlite behind a port of this process.
 * @param {import('./lifetime.mjs').Lifetime} lifetime
 * @returns {Promise<string>}
 */
export async function openDatabase(lifetime) {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  /** @type {typeof import('../../sample-app/src/database/lite.js')} */
  const { openLite } = await import(LITE);
  const { lite, close } = await openLite(process.env.DATA_FOLDER || 'sample-app/.data');
  lifetime.atEnd(close);
  const server = new PGLiteSocketServer({ db: lite, port: 0, maxConnections: 100 });
  lifetime.atEnd(() => server.stop());
  await server.start();
  return `postgres://postgres:postgres@${server.getServerConn()}/postgres`;
}
