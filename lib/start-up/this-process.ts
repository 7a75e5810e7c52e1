import { hostname } from 'node:os';
import type { ProcessNote } from '../engine/process-mark.js';

/** Returns what this process tells operators about itself; its name is what the module is told, or what npm has started. */
export function thisProcess(application: string | undefined): ProcessNote {
  const name = application ?? (process.env['npm_package_name'] || 'node');
  return { application: name, host: hostname(), pid: process.pid };
}
