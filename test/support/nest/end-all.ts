import { stopAll } from '../redis-server.js';
import { closeApps } from './test-app.js';

/** Closes the applications, and ends the nodes, that a test file started and did not end. */
export async function endAll(): Promise<void> {
  await closeApps();
  await stopAll();
}
