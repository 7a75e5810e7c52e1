import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { READERS_APPLICATION } from '../support/readers-application.js';
import { codeBlocks, complaintsAbout } from '../support/readme.js';

/** Raw results, and pages made of doc comments. */
const OTHERS = /^docs\/(bench|reference\/api)\//;
const PAGES = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .map((file) => join('docs', file))
    .filter((file) => file.endsWith('.md') && !OTHERS.test(file)),
];

describe('the code of all pages', () => {
  // In one program, since the types of Nest take seconds to load. Each page is a folder.
  it('compiles', () => {
    const blocks = PAGES.flatMap((page) =>
      [...codeBlocks(readFileSync(page, 'utf8')), ...(page.endsWith('with-lock.md') ? READERS_APPLICATION : [])].map(
        ({ file, code }, at, all) => {
          const before = all.slice(0, at).filter((block) => block.file === file).length;
          return { file: join(page.replaceAll(/[/.]/g, '-'), before === 0 ? '' : `${before}`, file), code };
        },
      ),
    );
    expect(new Set(blocks.map(({ file }) => file)).size).toBe(blocks.length);
    expect(blocks.length).toBeGreaterThan(50);
    expect(complaintsAbout(blocks)).toEqual([]);
  }, 300_000);
});
