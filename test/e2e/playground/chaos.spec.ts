import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Hold } from '../../chaos/record.js';
import { CAST, CHAPTER, HOLD, OVERLAP, SECOND } from '../../chaos/report/example.js';
import { renderPage, type PageChapter } from '../../chaos/report/page.js';
import { traceOf } from '../../chaos/report/trace.js';
import { describeInBrowser, mistakesOf, PlaygroundBrowser, tabTo } from './browser.js';

/** So many short holds that a drawing of a phone has no room for each. */
const HOLDS = 40;
const isBroken = (page: Page): Promise<boolean> => page.evaluate('document.body.classList.contains("broken")');

/** A chapter in which all is well, and one in which two hold the lock at one time. */
function chapters(): readonly PageChapter[] {
  const short = Array.from({ length: HOLDS }, (_, index): Hold => {
    const from = 2_000 + 10 * index;
    return { ...HOLD, id: `client 1.1/${index + 10}`, token: 50 + index, from, to: from + 8, until: from + 800 };
  });
  const well = { ...CHAPTER, history: { ...CHAPTER.history, holds: [HOLD, ...short] } };
  const broken = { ...CHAPTER, history: { ...CHAPTER.history, holds: [HOLD, SECOND] } };
  const complaints = ['client 1.1/3 and client 2.1/4 both held hot for 50.0 ms'];
  const tells = '3 faults, recovered in 80 ms.';
  return [
    { name: 'Chapter 1', tells, complaints: [], trace: traceOf(well, CAST, { overlaps: [], recovery: 80 }) },
    { name: 'Chapter 2', tells, complaints, trace: traceOf(broken, CAST, { overlaps: [OVERLAP], recovery: 80 }) },
  ];
}

describeInBrowser('the page of a chaos run', () => {
  const browser = new PlaygroundBrowser();
  let folder: string;

  async function write(name: string, shown: readonly PageChapter[]): Promise<void> {
    const summary = [['locks held', '41']] as const;
    const complaints = shown.flatMap((chapter) => chapter.complaints);
    await writeFile(join(folder, name), await renderPage({ title: 'A run', summary, complaints, chapters: shown }));
  }

  async function open(chapter: number, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.blank({ offline: true, ...options });
    await page.goto(`${pathToFileURL(join(folder, 'page.html')).href}#chapter-${chapter}`);
    await page.waitForSelector(`#app[data-ready="#chapter-${chapter}"]`);
    return page;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chaos-page-'));
    await write('page.html', chapters());
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => expect(browser.complaints.splice(0)).toEqual([]));

  it('shows a chapter at its end, with its figures', async () => {
    const page = await open(1);
    expect(await page.locator('.badge').innerText()).toBe('No rule is broken');
    expect(await page.locator('svg text.name').allTextContents()).toEqual([...CAST.nodes, ...CAST.clients, 'hot']);
    expect(await page.locator('.figures').innerText()).toMatch(/locks held\s+41/);
    expect(await page.locator('svg .bar.down').count()).toBe(2);
    expect(await page.locator('svg .calm').count()).toBe(1);
    expect(await isBroken(page)).toBe(false);
  });

  it('goes to another chapter, steps, and shows less time at once', async () => {
    const page = await open(1);
    await page.getByRole('link', { name: 'Chapter 2' }).click();
    await page.waitForSelector('#app[data-ready="#chapter-2"]');
    expect(await page.locator('#extra').innerText()).toMatch(/both held hot/);
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.panel h2').innerText()).toBe('Chapter 2');
    await page.reload();
    expect(await page.locator('.panel h2').innerText()).toBe('Chapter 1');
    await page.goBack();
    await page.waitForSelector('#app[data-ready="#chapter-2"]');
    await page.locator('h1').focus();
    await page.keyboard.press('ArrowLeft');
    expect(Number(await page.locator('#time').inputValue())).toBeLessThan(3_000);
    const width = (): Promise<number> =>
      page
        .locator('svg .bar.frozen, svg .bar.down')
        .first()
        .evaluate((bar) => Number(bar.getAttribute('width')));
    const before = await width();
    await page.locator('#time').fill('900');
    await page.locator('#seen').selectOption('1 s');
    expect(await width()).toBeGreaterThan(2 * before);
  });

  it('opens the table at the moment of a folded bar that is clicked', async () => {
    const page = await open(1, { viewport: { width: 360, height: 740 } });
    const bar = page.locator('svg [data-span]', { hasText: `has hot ×${HOLDS}` });
    expect(await page.locator('.panel svg').getAttribute('aria-label')).toContain(`client 1: has hot ×${HOLDS}`);
    await bar.click();
    expect(await page.locator('details.events').evaluate((table) => table.hasAttribute('open'))).toBe(true);
    expect(await page.locator('tr[aria-current]').innerText()).toMatch(/^1\.\d+ s\s+client 1\s+(gets|gives) hot/);
    // The bar ends at the moment that is shown now.
    expect(Number(await page.locator('#time').inputValue())).toBeLessThan(1_400);
  });

  it('leads to the events of the second chapter by the keyboard alone', async () => {
    const page = await open(1);
    await tabTo(page, 'Chapter 2');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#app[data-ready="#chapter-2"]');
    await tabTo(page, 'Events as a table');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Go to 0.10 s');
    await page.keyboard.press('Enter');
    expect(await page.locator('tr[aria-current]').innerText()).toMatch(/^0.10 s\s+client 1\s+gets hot after 50 ms/);
  });

  it('turns red if two hold the lock at one time, and only from then on', async () => {
    const page = await open(2);
    expect(await isBroken(page)).toBe(true);
    expect(await page.locator('.badge').innerText()).toMatch(/both held hot for 50.0 ms/);
    expect(await page.locator('svg .alarm').count()).toBe(1);
    await page.locator('#time').fill('240');
    expect([await isBroken(page), await page.locator('svg .alarm').count()]).toEqual([false, 0]);
    await page.locator('#time').fill('260');
    expect([await isBroken(page), await page.locator('svg .alarm').count()]).toEqual([true, 1]);
  });

  it.each(['light', 'dark'] as const)('has no mistake that axe finds, in %s', async (colorScheme) => {
    for (const chapter of [1, 2]) expect(await mistakesOf(await open(chapter, { colorScheme }))).toEqual([]);
  });

  it('fits a phone: nothing is wider than the screen', async () => {
    const page = await open(2, { viewport: { width: 360, height: 740 } });
    await page.locator('details.events summary').click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('has no tools if a run has no drawings', async () => {
    await write('bare.html', []);
    const page = await browser.blank();
    await page.goto(pathToFileURL(join(folder, 'bare.html')).href);
    expect(await page.locator('#tools').isVisible()).toBe(false);
    expect(await page.locator('.verdict').innerText()).toBe('Nothing that must not be was found.');
  });
});
