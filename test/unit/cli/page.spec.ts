import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { KEY_CHECKS } from '../../../lib/cli/doctor/keys.js';
import { NODE_CHECKS } from '../../../lib/cli/doctor/nodes.js';
import { SETTING_CHECKS, VERSION_CHECKS } from '../../../lib/cli/doctor/settings.js';
import { EXIT, type Io } from '../../../lib/cli/io.js';
import { programFor } from '../../../lib/cli/program.js';

const PAGE = readFileSync('docs/operate/cli.md', 'utf8');
const IO: Io = { env: {}, print: () => undefined, complain: () => undefined, ask: undefined, columns: 80 };

/** The text under a heading. */
const section = (title: string): string => PAGE.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? '';
/** The texts in code of the rows of a section. */
const codesIn = (title: string): string[] =>
  section(title)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => text!));

describe('docs/operate/cli.md', () => {
  const { commands } = programFor(IO, IO.complain, () => Promise.resolve());

  it('has a section and an object of JSON for each command', () => {
    const names = commands.map((command) => command.name());
    const headings = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, title]) => title!);
    expect(headings.filter((title) => names.includes(title)).sort()).toEqual([...names].sort());
    expect(codesIn('JSON')).toEqual(expect.arrayContaining(names));
    for (const name of names) expect(section(name)).toContain(`npx nestjs-redlock ${name}`);
  });

  it('names the flags that a script needs, and no flag that there is not', () => {
    const flags = new Set(commands.flatMap(({ options }) => options.map(({ long }) => long)));
    const named = [...PAGE.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
    expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
    expect(named).toEqual(expect.arrayContaining(['--json', '--prefix', '--yes', '--value', '--force', '--acl-user']));
  });

  it('has all exit codes', () => {
    const codes = section('Exit codes')
      .match(/\b\d+\b/g)!
      .map(Number);
    expect(codes.filter((code) => (Object.values(EXIT) as number[]).includes(code))).toEqual(
      expect.arrayContaining(Object.values(EXIT)),
    );
  });

  it('has all checks of doctor, and no others', () => {
    const checks = [...NODE_CHECKS, ...SETTING_CHECKS, ...VERSION_CHECKS, ...KEY_CHECKS].map(({ name }) => name);
    const severities = ['ERROR', 'WARNING', 'ADVICE'];
    expect(codesIn('doctor')).toEqual([...checks, ...severities]);
  });
});
