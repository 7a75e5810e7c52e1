import { FRAMES, PAGES } from '../frames.js';
import { playFree } from '../scenes/free.js';
import { playSeed } from '../scenes/seed.js';
import type { Played } from '../scenes/scene.js';
import type { Action, Deed } from '../actions.js';
import { traceHash } from '../grants.js';
import { seconds } from '../events.js';
import { freeAddress, readAddress, type Address } from './address.js';
import { byId, element } from './element.js';
import { FreeControls } from './free-controls.js';
import { Panel } from './panel.js';
import { Player } from './player.js';
import { SeedControls } from './seed-controls.js';

/** How many frames tell the story. */
const STORY = 3;
/** Ms of a world for each pixel. */
const SCALE = 14;
/** How much of the world of a seed is seen at once: ways of a message. */
const WAYS_SEEN = 150;
/** Ms in which the cursor goes through what is seen of it. */
const SEED_WINDOW = 8_000;

/** The page: shows what its address says. */
export class Page {
  readonly #player = new Player(() => this.#free?.moveTo(this.#player.time, this.#player.isPlaying));
  #address = readAddress(location.search);
  #free: FreeControls | undefined;
  /** The actions of each drawing of the free part: before and after a fork. */
  #branches: Action[][] = [[]];

  constructor() {
    document.body.classList.toggle('embedded', this.#address.isEmbedded);
    addEventListener('popstate', () => void this.open(location.search));
    document.addEventListener('click', (event) => this.#followed(event));
  }

  /** Shows the page of an address. */
  async open(search: string): Promise<void> {
    const address = (this.#address = readAddress(search));
    this.#player.pause();
    this.#player.panels = [];
    this.#free = undefined;
    this.#branches = [[...address.actions]];
    const { title, lead } = PAGES.find(({ id }) => id === address.page)!;
    byId('title').textContent = title;
    byId('lead').textContent = lead;
    document.title = `${title} - nestjs-redlock playground`;
    byId('panels').replaceChildren();
    byId('panels').classList.toggle('lanes', address.page !== 'free' && address.page !== 'seed');
    byId('extra').replaceChildren();
    this.#showPlace(address.page);
    this.#player.time = 0;
    this.#player.baseRate = 1;
    if (address.page === 'free') await this.#openFree(address);
    else if (address.page === 'seed') await this.#openSeed(address);
    else await this.#openFrame(address);
  }

  async #openFrame(address: Address): Promise<void> {
    const { page, at } = address;
    const { scenes } = FRAMES.find(({ id }) => id === page)!;
    // One after the other, so that the first drawing does not wait for the others.
    for (const scene of scenes) {
      const played = await scene.play();
      if (this.#address !== address) return;
      this.#add(scene.name, scene.tells, played, Infinity);
    }
    this.#start(at);
  }

  async #openFree({ at }: Address): Promise<void> {
    this.#free = new FreeControls({
      act: (deed, target) => void this.#act(deed, target),
      undo: (action) => void this.#change(this.#actions.filter((one) => one !== action)),
      fork: () => void this.#fork(),
      join: () => void this.#join(),
    });
    byId('extra').replaceChildren(this.#free.element);
    await this.#addBranch('The world', 'Every message can be dropped. Every moment can be visited again.');
    this.#start(at);
  }

  async #openSeed(address: Address): Promise<void> {
    const { seed, without, fixed, at } = address;
    const isControl = without.includes('quarantine');
    const controls = new SeedControls(seed, isControl, (search) => this.#visit(search));
    byId('extra').replaceChildren(controls.element);
    // A rule is needed only if there are faults: the control in CI has as many.
    const faults = isControl ? { faultRate: 8, ...fixed } : fixed;
    const played = await playSeed(seed, isControl, faults);
    if (this.#address !== address) return;
    const { end, messages } = played.trace;
    const ways = messages
      .flatMap(({ sent, arrived }) => (arrived === undefined ? [] : [arrived - sent]))
      .sort((a, b) => a - b);
    const tells = isControl
      ? 'A control of CI: the quarantine is taken out, and there are 8 faults a second.'
      : `npm run simulate -- ${seed} 1 runs the same world. It lasts ${seconds(end)}.`;
    const seen = Math.min(end, Math.max(10, WAYS_SEEN * (ways[ways.length >> 1] ?? 1)));
    this.#add(`Seed ${seed}`, tells, played, seen / 700);
    this.#player.baseRate = seen / SEED_WINDOW;
    const [alarm] = played.trace.alarms;
    this.#start(at ?? (alarm ? alarm.from + 0.5 : undefined), false);
    controls.tell(await traceHash(seed, faults));
  }

  #add(name: string, tells: string, played: Played, scale = SCALE): void {
    const panel = new Panel({
      name,
      tells,
      scale,
      go: this.#player.visit,
      drop: (message) => this.#free && void this.#act('drop', String(message)),
    });
    this.#player.panels.push(panel);
    byId('panels').append(panel.element);
    panel.show(played);
  }

  #start(at: number | undefined, plays = true): void {
    this.#player.load();
    this.#player.go(at ?? 0);
    if (plays && at === undefined && !this.#player.isCalm) this.#player.play();
    byId('app').dataset['ready'] = this.#address.page;
  }

  get #actions(): Action[] {
    return this.#branches.at(-1)!;
  }

  async #addBranch(name: string, tells: string): Promise<void> {
    this.#add(name, tells, await playFree(this.#actions));
    this.#showActions();
  }

  async #act(deed: Deed, target: string): Promise<void> {
    const at = Math.round(this.#player.time);
    const isSame = (one: Action): boolean => deed === 'without' && one.deed === deed && one.target === target;
    const others = this.#actions.filter((one) => !isSame(one));
    const isUndone = others.length < this.#actions.length;
    const next = isUndone ? others : [...others, { at, deed, target }];
    await this.#change(next.sort((one, other) => one.at - other.at));
  }

  async #change(actions: Action[]): Promise<void> {
    this.#branches[this.#branches.length - 1] = actions;
    const played = await playFree(actions);
    this.#player.panels.at(-1)!.show(played);
    this.#player.load();
    this.#showActions();
    this.#player.go(this.#player.time);
    replaceAddress(freeAddress(actions, this.#player.time));
  }

  async #fork(): Promise<void> {
    const { time } = this.#player;
    this.#player.pause();
    this.#branches.push(this.#actions.filter(({ at }) => at <= time));
    await this.#addBranch('The fork', `It is the same until ${seconds(time)}. What you do now happens here only.`);
    this.#player.go(time);
  }

  async #join(): Promise<void> {
    this.#branches.pop();
    this.#player.panels.pop()?.element.remove();
    await this.#change(this.#actions);
  }

  #showActions(): void {
    const { played } = this.#player.panels.at(-1)!;
    this.#free?.show(played!.trace, this.#actions, this.#branches.length > 1);
    this.#free?.moveTo(this.#player.time, this.#player.isPlaying);
  }

  #showPlace(page: string): void {
    const at = PAGES.findIndex(({ id }) => id === page);
    for (const link of document.querySelectorAll<HTMLAnchorElement>('#places a')) {
      const isShown = new URLSearchParams(link.search).get('frame') === page;
      if (isShown) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      // On a phone the list is wider than the screen.
      if (isShown) link.closest('#places')!.scrollLeft = link.offsetLeft - 40;
    }
    for (const [id, place] of [
      ['previous', PAGES[at - 1]],
      ['next', PAGES[at + 1]],
    ] as const) {
      const link = byId(id) as HTMLAnchorElement;
      link.hidden = place === undefined;
      if (place === undefined) continue;
      link.href = `?frame=${place.id}`;
      link.textContent = id === 'next' ? `Next: ${place.title}` : `Back: ${place.title}`;
    }
    const src = `${location.href.split('?')[0]}?frame=${page}&embed`;
    byId('embed').textContent =
      `<iframe\n  title="nestjs-redlock: ${byId('title').textContent}"\n  src="${src}"\n  width="100%" height="720" loading="lazy"\n></iframe>`;
  }

  /** Links of the page change it without loading it again. */
  #followed(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="?"]') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#visit(link.getAttribute('href')!);
  }

  #visit(search: string): void {
    try {
      history.pushState(null, '', search);
    } catch {
      // A page in some frames has no history of its own.
    }
    void this.open(search).then(() => byId('title').focus({ preventScroll: true }));
    scrollTo(0, 0);
  }
}

function replaceAddress(search: string): void {
  try {
    history.replaceState(null, '', search);
  } catch {
    // See above.
  }
}

/** Fills the list of places. */
export function listPlaces(): void {
  const lists = [
    ['The story', PAGES.slice(0, STORY)],
    ['Myths', PAGES.slice(STORY, FRAMES.length)],
    ['Try it', PAGES.slice(FRAMES.length)],
  ] as const;
  for (const [name, pages] of lists) {
    const links = pages.map(({ id, short }) => element('li', {}, element('a', { href: `?frame=${id}` }, short)));
    byId('places').append(element('div', {}, element('p', {}, name), element('ol', {}, ...links)));
  }
}
