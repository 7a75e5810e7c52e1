import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { CODES, coded, mistake } from '../../../lib/engine/codes.js';
import type { LockLossReason, RedlockErrorCode } from '../../../lib/engine/errors.js';
import { SafeLogger } from '../../../lib/logging/safe-logger.js';

const PAGE = readFileSync('docs/operate/troubleshooting.md', 'utf8');
/** A heading that begins with a code, and the words behind the code. */
const ENTRY = /^### (REDLOCK_\w+): (.+)$/gm;

/** The sources; those for tests and the command have messages of their own. */
const ALL = readdirSync('lib', { recursive: true, encoding: 'utf8' })
  .map((file) => `lib/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const SOURCES = ALL.filter(({ file }) => !/^lib\/(cli|testing|engine\/codes\.ts)/.test(file));

const filesWith = (pattern: RegExp): string[] =>
  SOURCES.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

describe('the codes of warnings and mistakes', () => {
  it('have one heading each in the documentation, with the same title, and no others', () => {
    const entries = [...PAGE.matchAll(ENTRY)].map(([, code, title]) => [code, title]);
    expect(entries).toEqual(Object.entries(CODES));
  });

  it('stand in the messages, which name no page', () => {
    const isMessage = (line: string): boolean => /['`"][^'`"]*docs\/[a-z]/.test(line) && !/^\s*(\*|\/)/.test(line);
    expect(ALL.filter(({ text }) => text.split('\n').some(isMessage)).map(({ file }) => file)).toEqual([]);
  });

  it('are all in use', () => {
    const unused = Object.keys(CODES).filter((code) => !SOURCES.some(({ text }) => text.includes(`'${code}'`)));
    expect(unused).toEqual([]);
  });

  it('end a text, and are a property of an error', () => {
    expect(coded('REDLOCK_W07', 'No quorum')).toBe('No quorum [REDLOCK_W07]');
    expect(mistake('REDLOCK_E03', 'ttl must be 1; got 2', { Kind: RangeError })).toMatchObject({
      name: 'RangeError',
      message: 'ttl must be 1; got 2 [REDLOCK_E03]',
      code: 'REDLOCK_E03',
    });
  });
});

describe('the codes of lock errors', () => {
  const CALLS: Readonly<Record<RedlockErrorCode, true>> = {
    QUORUM_NOT_REACHED: true,
    CLOSED: true,
    RESOURCE_LOCKED: true,
    LOCK_KEY: true,
    LOCK_LOST: true,
    NO_SERVICE: true,
  };
  const LOSSES: Readonly<Record<LockLossReason, true>> = {
    nodes: true,
    pause: true,
    ttl: true,
    max_hold: true,
    shutdown: true,
    released: true,
  };

  it('have one heading each in the documentation, and no others', () => {
    const headings = [...PAGE.matchAll(/^### .*`([A-Z_]+)`$/gm)].map(([, code]) => code);
    expect(headings).toEqual(Object.keys(CALLS));
  });

  it('have a remedy for each reason of a loss', () => {
    const section = PAGE.split('\n### ').find((one) => one.startsWith('500: `LOCK_LOST`')) ?? '';
    expect([...section.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason)).toEqual(Object.keys(LOSSES));
  });
});

describe('every warning and every error in the log', () => {
  it('goes through the logger that takes no text without a code', () => {
    expect(filesWith(/new Logger\(|extends Logger\b|\bLogger\.(warn|error)\(|console\.(warn|error)/)).toEqual([
      'lib/logging/safe-logger.ts',
    ]);
    expect(filesWith(/\b(warn|error)\((message|line|text): (string|unknown|any)\b/)).toEqual([]);
    expect(filesWith(/Pick<Logger\b|logger: Logger\b/)).toEqual([]);
  });

  it('is refused by the compiler without one', () => {
    const quiet = Object.assign(new SafeLogger('test'), {
      warn: () => undefined,
      error: () => undefined,
    }) as SafeLogger;
    // @ts-expect-error no code
    quiet.warn('a text');
    // @ts-expect-error no code
    quiet.error('a text', new Error('why'));
    // @ts-expect-error no code
    quiet.error(new Error('why'));
    quiet.warn(coded('REDLOCK_W01', 'a text'));
    quiet.error(mistake('REDLOCK_E01', 'a text'));
  });

  it('is a warning of the process only if code of the application throws', () => {
    expect(filesWith(/emitWarning/)).toEqual(['lib/engine/guarded.ts']);
  });
});

describe('every mistake', () => {
  /** Errors that become the reason or the cause of a message that has a code. */
  const REASONS = [
    'lib/idempotency/record.ts',
    'lib/idempotency/typed-json.ts',
    'lib/redis/connection/credentials-client.ts',
    'lib/redis/connection/settings/credentials.ts',
    // Messages of mistakes, which have their codes, in one error.
    'lib/redis/connection/settings/node-options.ts',
  ];
  it('has a code', () => {
    expect(filesWith(/new (TypeError|RangeError)\(/).sort()).toEqual(REASONS);
  });
});
