import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ms until a replica that ended its stream is asked again. */
const AGAIN = 500;

/** Sends what happens to every page that is open: events of the front, and those of all replicas while anybody listens. */
export class Hub {
  /** @type {Set<import('node:http').ServerResponse>} */
  #pages = new Set();
  /** @type {AbortController | undefined} */
  #listening;

  /** @param {string[]} replicas @param {() => object} state what a page has to know at first */
  constructor(replicas, state) {
    this.replicas = replicas;
    this.state = state;
  }

  /** @param {import('node:http').IncomingMessage} from @param {import('node:http').ServerResponse} to */
  listen(from, to) {
    to.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    this.#pages.add(to);
    to.write(line(this.state()));
    from.once('close', () => {
      this.#pages.delete(to);
      if (this.#pages.size === 0) this.close();
    });
    if (this.#listening !== undefined) return;
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    this.replicas.forEach((url, replica) => void this.#follow(url, replica, signal));
  }

  tellState() {
    this.tell(this.state());
  }

  /** @param {object} event */
  tell(event) {
    const text = line(event);
    for (const page of this.#pages) page.write(text);
  }

  close() {
    this.#listening?.abort();
    this.#listening = undefined;
  }

  /** @param {string} url @param {number} replica @param {AbortSignal} signal */
  async #follow(url, replica, signal) {
    while (!signal.aborted) {
      await this.#read(url, replica, signal).catch(() => undefined);
      await sleep(AGAIN, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @param {string} url @param {number} replica @param {AbortSignal} signal */
  async #read(url, replica, signal) {
    // A connection of its own, which ends with the stream: the replica would wait for it at its shutdown.
    const asked = get(`${url}/live/events`, { agent: false, signal }).on('error', () => undefined);
    const [answer] = /** @type {[import('node:http').IncomingMessage]} */ (await once(asked, 'response'));
    let rest = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines)
        if (text.startsWith('data: ')) this.tell({ ...JSON.parse(text.slice('data: '.length)), replica });
    }
  }
}

/** @param {object} event */
function line(event) {
  return `data: ${JSON.stringify({ at: performance.timeOrigin + performance.now(), ...event })}\n\n`;
}
