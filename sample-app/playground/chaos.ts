import { unpack, type ChaosChapter } from './chaos-run.js';
import { byId, element } from './view/element.js';
import { Panel } from './view/panel.js';
import { Player } from './view/player.js';

const SEEN = [
  [Infinity, 'all'],
  [5_000, '5 s'],
  [1_000, '1 s'],
] as const;

/** The page of a chaos run: shows one of its chapters. */
class ChaosPage {
  readonly #player = new Player();
  /** How much of the chapter is seen at once. */
  readonly #seen = element(
    'select',
    { id: 'seen', change: () => this.#zoom() },
    ...SEEN.map(([ms, text]) => element('option', { value: String(ms) }, text)),
  );
  #panel: Panel | undefined;

  constructor(private readonly chapters: readonly ChaosChapter[]) {
    byId('tools').append(element('label', {}, element('span', {}, 'Seen'), ' ', this.#seen));
    addEventListener('hashchange', () => this.open());
    for (const [index, { name, complaints }] of chapters.entries()) {
      const text = complaints.length > 0 ? `${name}: wrong` : name;
      byId('places').append(element('a', { href: `#chapter-${index + 1}` }, text));
    }
  }

  /** Shows the chapter of the address at its end, or the first one. */
  open(): void {
    const wanted = /^#chapter-(\d+)$/.exec(location.hash)?.[1];
    // Other links lead to places of this page.
    if (wanted === undefined && location.hash !== '' && this.#panel !== undefined) return;
    const index = Math.min(Math.max(1, Number(wanted ?? 1)), this.chapters.length) - 1;
    this.#show(this.chapters[index]!, `#chapter-${index + 1}`);
  }

  #show({ name, tells, complaints, trace }: ChaosChapter, address: string): void {
    this.#player.pause();
    const panel = (this.#panel = new Panel({ name, tells, scale: Infinity, go: this.#player.visit }));
    byId('panels').replaceChildren(panel.element);
    byId('extra').replaceChildren(...complaints.map((text) => element('li', {}, text)));
    const verdict = complaints.length > 0 ? complaints[0]! : 'No rule is broken';
    panel.show({ trace: unpack(trace), tone: complaints.length > 0 ? 'bad' : 'good', verdict });
    for (const link of document.querySelectorAll('#places a')) {
      if (link.getAttribute('href') === address) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    this.#player.panels = [panel];
    this.#player.load();
    this.#zoom();
    this.#player.go();
    byId('app').dataset['ready'] = address;
  }

  #zoom(): void {
    this.#panel?.zoom(Number(this.#seen.value));
  }
}

const chapters = JSON.parse(byId('run').textContent) as readonly ChaosChapter[];
if (chapters.length === 0) byId('tools').hidden = true;
else new ChaosPage(chapters).open();
