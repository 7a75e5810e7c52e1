import { hostname } from 'node:os';
import type { ProcessNote } from '../core/port/process-note.js';
import { VERSION } from '../version.js';
import { wallNow } from '../core/time/real-time.js';

/** Returns what this process tells operators about itself. */
export function thisProcess(application: string | undefined): ProcessNote {
  const started = wallNow() - process.uptime() * 1_000;
  return {
    host: hostname(),
    pid: process.pid,
    application,
    version: VERSION,
    since: new Date(started).toISOString(),
  };
}

/** Returns the name of the application: what the module is told, or else what its package.json says where npm has started it. */
export function applicationName(given: string | undefined): string | undefined {
  return given ?? (process.env['npm_package_name'] || undefined);
}
