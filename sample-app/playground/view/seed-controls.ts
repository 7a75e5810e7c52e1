import { element } from './element.js';
import { button } from './free-controls.js';

/** Asks for the number of a world. */
export class SeedControls {
  readonly element: HTMLElement;
  readonly #hash = element('p', {}, 'The hash of this world is being made.');

  constructor(seed: number, isWithout: boolean, visit: (search: string) => void) {
    const input = element('input', { type: 'number', id: 'seed', min: '0', step: '1', value: String(seed) });
    const box = element('input', { type: 'checkbox', id: 'seed-without' });
    box.checked = isWithout;
    const go = (): void => visit(`?seed=${Number(input.value)}${box.checked ? '&without=quarantine' : ''}`);
    const submit = (event: Event): void => {
      event.preventDefault();
      go();
    };
    const form = element(
      'form',
      { submit },
      element('label', { for: 'seed' }, 'Seed '),
      input,
      ' ',
      element('input', { type: 'submit', value: 'Show' }),
      ' ',
      button('Another one', () => visit(`?seed=${Math.floor(Math.random() * 10_000)}`)),
      element(
        'p',
        {},
        box,
        ' ',
        element('label', { for: 'seed-without' }, 'without the quarantine, and with more faults'),
      ),
    );
    const found = element('a', { href: '?seed=1542&without=quarantine' }, 'seed 1542 without the quarantine');
    const more = element('p', {}, 'A world in which two hold the lock: ', found, '.');
    this.element = element(
      'div',
      { class: 'controls' },
      element('fieldset', {}, element('legend', {}, 'Which world'), form, more, this.#hash),
    );
  }

  /** Tells the hash, which is the same in Node and in every browser. */
  tell(hash: string): void {
    this.#hash.textContent = `The hash of this world is ${hash}. It is the same in Node and in a browser.`;
  }
}
