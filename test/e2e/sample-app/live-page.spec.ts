import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, mistakesOf, PlaygroundBrowser } from '../playground/browser.js';
import { Launch, LIMIT } from './launch.js';

const PATIENCE = 60_000;

describeInBrowser('the live page of the sample', () => {
  const browser = new PlaygroundBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'redlock-live-'));
  let launch: Launch;
  let page: Page;

  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const opened = await browser.blank({ viewport: { width: 1280, height: 900 }, ...options });
    await opened.goto(launch.page);
    await until(opened, 'votes', /5 of 5 nodes vote/);
    return opened;
  };

  beforeAll(async () => {
    launch = new Launch(folder);
    await launch.untilSaid('serve until Ctrl-C');
    page = await open();
  }, LIMIT);

  afterEach(() => expect(browser.complaints.splice(0)).toEqual([]));

  afterAll(async () => {
    await page.close();
    launch.signal('SIGTERM');
    expect(await launch.ended()).toBe(0);
    launch.checkNothingLeft();
    rmSync(folder, { recursive: true, force: true });
  }, LIMIT);

  it(
    'shows the race without a lock in red, and that a lock and a reply end it',
    async () => {
      await page.getByLabel('Requests').selectOption('50');
      await page.getByRole('button', { name: 'All three' }).click();
      const [once, locked, unsafe] = await results(page, 3);
      expect(Number(unsafe?.[2])).toBeGreaterThan(1);
      expect([locked?.slice(0, 5), once?.slice(0, 5)]).toEqual([
        ['POST /users', '50', '1', '1', '1 × 201, 49 × 409'],
        ['POST /once/users', '50', '1', '1', '50 × 201'],
      ]);
      const panels = page.locator('.panel');
      expect(await panels.locator('.badge').allInnerTexts()).toEqual([
        expect.stringMatching(/^\d+ users created, \d+ bonuses paid/),
        '1 user created, 1 bonus paid: 1 × 201, 49 × 409',
        '1 user created, 1 bonus paid: 50 × 201',
      ]);
      expect(await panels.evaluateAll((all) => all.map(({ classList }) => classList.contains('broken')))).toEqual([
        true,
        false,
        false,
      ]);
      expect(await panels.nth(0).locator('.alarm').count()).toBe(1);
      // Many callers are one bar.
      expect(await panels.nth(0).locator('.bar.works').count()).toBeLessThan(10);
      expect(await panels.nth(0).locator('.in.works').first().textContent()).toMatch(/^runs ×\d+$/);
    },
    PATIENCE,
  );

  it(
    'tells every event in a table, and plays the race again',
    async () => {
      const panel = page.locator('.panel', { has: page.getByRole('heading', { name: '@WithLock' }) });
      await panel.locator('summary').click();
      await panel.locator('tbody', { hasText: /takes the lock[^]*releases the lock/ }).waitFor();
      await page.locator('#time').fill('0');
      expect(await panel.locator('.badge').innerText()).toBe('No rule is broken so far');
      await page.getByRole('button', { name: 'Step on' }).click();
      expect(await panel.locator('.now').innerText()).not.toBe('Nothing has happened yet.');
    },
    PATIENCE,
  );

  it(
    'goes on with two dead nodes, answers 503 with a frozen third one, and a node that comes back empty does not vote at once',
    async () => {
      for (const node of [1, 2]) await press(page, `Kill Node ${node}`);
      await until(page, 'votes', /3 of 5 nodes vote, 3 needed: locks can be taken/);
      await press(page, '@WithLock');
      expect((await results(page, 4))[0]?.slice(2, 5)).toEqual(['1', '1', '1 × 201, 49 × 409']);
      await press(page, 'Freeze Node 3');
      await until(page, 'votes', /2 of 5 nodes vote, 3 needed: no lock can be taken/);
      await press(page, '@WithLock');
      expect((await results(page, 5))[0]?.slice(2, 5)).toEqual(['0', '0', '50 × 503']);
      await press(page, 'Restart empty Node 1');
      await until(page, 'nodes', /Node 1\s*may have forgotten: no vote for \d s/);
      expect(await page.locator('#votes').innerText()).toMatch(/^2 of 5/);
      await until(page, 'votes', /3 of 5 nodes vote/);
      await press(page, 'Heal Node 3');
      await press(page, 'Slow Node 4');
      await press(page, 'Restart empty Node 2');
      await until(page, 'votes', /5 of 5 nodes vote/);
      await press(page, '@Idempotent');
      expect((await results(page, 6))[0]?.slice(2, 5)).toEqual(['1', '1', '50 × 201']);
      await press(page, 'Heal Node 4');
    },
    PATIENCE,
  );

  it('refuses what it does not know', async () => {
    const post = async (path: string): Promise<[number, unknown]> => {
      const response = await fetch(`${launch.page}live/${path}`, { method: 'POST' });
      return [response.status, await response.json()];
    };
    expect(await post('race?way=fast')).toEqual([400, { message: 'way must be unsafe, locked, once; got "fast"' }]);
    expect(await post('race?way=once&count=501')).toEqual([
      400,
      { message: 'count must be a whole number from 1 to 500' },
    ]);
    expect(await post('nodes/6/kill')).toEqual([404, { message: 'There is no node 6 that can be broken here' }]);
    expect(await post('nodes/1/burn')).toEqual([400, { message: expect.stringMatching(/got "burn"/) }]);
    const passed = await fetch(`${launch.page}users?email=nobody@example.com`);
    expect(await passed.json()).toEqual({ email: 'nobody@example.com', users: 0, bonuses: 0 });
  });

  it.each(['light', 'dark'] as const)(
    'has no mistake that axe finds, in %s, and fits a phone',
    async (colorScheme) => {
      const phone = await open({ colorScheme, viewport: { width: 360, height: 740 } });
      await press(phone, 'All three');
      await results(phone, 3);
      expect(await mistakesOf(phone)).toEqual([]);
      expect(await phone.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
      await phone.close();
    },
    PATIENCE,
  );
});

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

async function until(page: Page, id: string, said: RegExp): Promise<void> {
  await page.waitForFunction(`${String(said)}.test(document.getElementById("${id}").innerText)`, undefined, {
    timeout: 20_000,
  });
}

/** The rows of the results, the latest first, once there are so many. */
async function results(page: Page, count: number): Promise<string[][]> {
  const rows = page.locator('#results tbody tr');
  await page.waitForFunction(`document.querySelectorAll("#results tbody tr").length >= ${count}`, undefined, {
    timeout: 20_000,
  });
  return rows.evaluateAll((all) => all.map((row) => [...row.children].map(({ textContent }) => textContent)));
}
