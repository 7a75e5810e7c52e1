import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { thisProcess } from '../../../lib/start-up/pool-names.js';
import { VERSION } from '../../../lib/version.js';

const given = process.env['npm_package_name'];

afterEach(() => {
  if (given === undefined) delete process.env['npm_package_name'];
  else process.env['npm_package_name'] = given;
});

describe('what a process tells operators about itself', () => {
  it('is its name, its host and its identity', () => {
    expect(thisProcess('orders')).toEqual({ application: 'orders', host: hostname(), pid: process.pid });
  });

  it('has the name that the module is told, or else that of the package that npm has started, or else that of Node', () => {
    const nameOf = (application?: string): string => thisProcess(application).application;
    process.env['npm_package_name'] = 'from-npm';
    expect([nameOf('orders'), nameOf()]).toEqual(['orders', 'from-npm']);
    process.env['npm_package_name'] = '';
    expect(nameOf()).toBe('node');
    delete process.env['npm_package_name'];
    expect(nameOf()).toBe('node');
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(VERSION).toBe(version);
  });
});
