import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { applicationName, thisProcess } from '../../../lib/start-up/this-process.js';
import { VERSION } from '../../../lib/version.js';

const given = process.env['npm_package_name'];

afterEach(() => {
  if (given === undefined) delete process.env['npm_package_name'];
  else process.env['npm_package_name'] = given;
});

describe('what a process tells operators about itself', () => {
  it('is its host, its identity and its start', () => {
    const { since, ...note } = thisProcess('orders');
    expect(note).toEqual({ host: hostname(), pid: process.pid, application: 'orders', version: VERSION });
    expect(Math.abs(Date.now() - Date.parse(since) - process.uptime() * 1_000)).toBeLessThan(1_000);
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(VERSION).toBe(version);
  });

  it('has the name that the module is told, or else that of the package that npm has started, or none', () => {
    process.env['npm_package_name'] = 'from-npm';
    expect(applicationName('orders')).toBe('orders');
    expect(applicationName(undefined)).toBe('from-npm');
    process.env['npm_package_name'] = '';
    expect(applicationName(undefined)).toBeUndefined();
    delete process.env['npm_package_name'];
    expect(applicationName(undefined)).toBeUndefined();
  });
});
