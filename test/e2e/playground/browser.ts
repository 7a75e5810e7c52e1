import { afterAll, describe } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findChromium, NO_CHROMIUM } from '../../../.ci/set-up/chromium.mjs';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EXECUTABLE = findChromium();
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const hasBrowser = EXECUTABLE !== undefined;
if (!hasBrowser) console.warn(NO_CHROMIUM);

/** Tests that need Chromium; they are skipped on a machine without it. */
export const describeInBrowser = hasBrowser ? describe : describe.skip;

/** What axe finds wrong with a page, with everything on it opened. */
export async function mistakesOf(page: Page): Promise<string[]> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
  await page.addScriptTag({ content: AXE });
  return page.evaluate<string[]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
  );
}

/** Presses Tab until the focus is on what has this name. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 120; presses += 1) {
    const focused = await page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
    );
    if (focused.startsWith(name)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}

/** A browser for the tests of one file, and what its pages complained about. */
export class PlaygroundBrowser {
  readonly complaints: string[] = [];
  /** By their options: a page in a context that is there costs half. */
  readonly #contexts: Record<string, Promise<BrowserContext>> = {};
  #browser: Promise<Browser> | undefined;

  constructor() {
    afterAll(async () => (await this.#browser)?.close());
  }

  /** Opens the page from its file. A page that wants no motion does not play by itself. */
  async open(search: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.blank(options);
    await this.visit(page, search);
    return page;
  }

  async blank(options: BrowserContextOptions = {}): Promise<Page> {
    this.#browser ??= chromium.launch({ executablePath: EXECUTABLE!, args: ARGUMENTS });
    const browser = await this.#browser;
    const name = JSON.stringify(options);
    const context = (this.#contexts[name] ??= browser.newContext({ reducedMotion: 'reduce', ...options }));
    const page = await (await context).newPage();
    page.on('console', (message) => this.complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    return page;
  }

  async visit(page: Page, search: string): Promise<void> {
    await page.goto(pathToFileURL(resolve('docs/playground/index.html')).href + search);
    await page.waitForSelector('#app[data-ready]');
  }
}
