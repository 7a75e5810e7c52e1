import type { Overlap } from '../check/exclusion.js';
import type { Chapter } from '../check/verdict.js';
import type { Hold } from '../record.js';
import { bar, colourOf, label } from './svg.js';

const LEFT = 80;
const WIDTH = 1_400;
const ROW = 20;
const THICK = 13;
const SECOND = 1_000;

interface Rows {
  readonly nodes: readonly string[];
  readonly clients: readonly string[];
}

/**
 * Draws one chapter: faults of nodes, connections and clients, holders and waiters, and what must not have happened.
 */
export class Timeline {
  readonly #parts: string[] = [];
  readonly #scale: number;
  #y = ROW;

  constructor(
    private readonly chapter: Chapter,
    private readonly rows: Rows,
    private readonly overlaps: readonly Overlap[],
  ) {
    this.#scale = WIDTH / (chapter.calm.to - chapter.from);
  }

  draw(): string {
    this.#axis();
    for (const node of this.rows.nodes) this.#row(node, () => this.#faults(node));
    for (const client of this.rows.clients) this.#client(client);
    this.#row('hot', () => this.#holders('hot'));
    for (const resource of this.#contended()) this.#row(resource, () => this.#holders(resource));
    const height = this.#y + 4;
    const calm = this.#bar(this.chapter.calm.from, this.chapter.calm.to, { y: 0, height, kind: 'calm' });
    const size = `viewBox="0 0 ${LEFT + WIDTH + 10} ${height}" width="${LEFT + WIDTH + 10}" height="${height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${calm}${this.#parts.join('\n')}</svg>`;
  }

  #axis(): void {
    const seconds = Math.floor((this.chapter.calm.to - this.chapter.from) / SECOND);
    for (let second = 0; second <= seconds; second += 1) {
      const x = LEFT + second * SECOND * this.#scale;
      this.#parts.push(label(`${second} s`, { x, y: 12, kind: 'tick' }));
    }
  }

  #row(name: string, fill: () => void): void {
    this.#parts.push(label(name, { x: 2, y: this.#y + THICK - 2, kind: 'name' }));
    this.#parts.push(bar({ x: LEFT, y: this.#y + THICK + 2, width: WIDTH, height: 1, kind: 'line' }));
    fill();
    this.#y += ROW;
  }

  #faults(where: string): void {
    for (const { name, where: struck, from, to } of this.chapter.faults) {
      if (!struck.includes(where)) continue;
      const title = `${name} on ${struck.join(', ')}, ${Math.round(to - from)} ms`;
      this.#parts.push(this.#bar(from, to, { y: this.#y, height: THICK, kind: 'fault', title }));
      this.#parts.push(label(name, { x: this.#x(from) + 2, y: this.#y + THICK - 3, kind: 'what' }));
    }
  }

  /** Its ways to the nodes as thin lines, then what happened to itself, then for what it waited. */
  #client(client: string): void {
    const number = client.split(' ')[1]!;
    this.#row(client, () => this.#faults(client));
    this.#row('its ways', () => this.#ways(number));
    this.#row('it waits', () => this.#waits(client));
  }

  #ways(number: string): void {
    this.rows.nodes.forEach((_, index) => {
      const y = this.#y + index * 2.6;
      for (const { name, where, from, to } of this.chapter.faults) {
        if (!where.includes(`way ${number}-${index + 1}`)) continue;
        this.#parts.push(this.#bar(from, to, { y, height: 2, kind: 'way', title: `${name} to node ${index + 1}` }));
      }
    });
  }

  #waits(client: string): void {
    const asks = this.chapter.history.asks.filter((ask) => ask.resource === 'hot' && isOf(client, ask.client));
    for (const { id, asked, answered = this.chapter.calm.to, code } of asks) {
      const title = `${id} ${code ?? 'was given it'} after ${Math.round(answered - asked)} ms`;
      const kind = code === undefined ? 'wait' : 'wait in-vain';
      this.#parts.push(this.#bar(asked, answered, { y: this.#y + 4, height: 5, kind, title }));
    }
  }

  #holders(resource: string): void {
    for (const hold of this.chapter.history.holds.filter((one) => one.resource === resource)) this.#hold(hold);
    for (const { first, second, ms } of this.overlaps.filter((overlap) => overlap.first.resource === resource)) {
      const title = `${first.id} and ${second.id} at once, for ${ms.toFixed(1)} ms`;
      const from = second.from;
      this.#parts.push(this.#bar(from, from + ms, { y: this.#y - 3, height: THICK + 6, kind: 'overlap', title }));
    }
  }

  #hold({ id, client, token, from, to, lost }: Hold): void {
    const title = `${id}, token ${token}, ${(to - from).toFixed(1)} ms${lost === undefined ? '' : ', lost'}`;
    const kind = lost === undefined ? 'hold' : 'hold lost';
    this.#parts.push(this.#bar(from, to, { y: this.#y, height: THICK, kind, fill: colourOf(client), title }));
  }

  /** Others than the hot one are drawn where something is wrong with them. */
  #contended(): string[] {
    return [...new Set(this.overlaps.map(({ first }) => first.resource))].filter((name) => name !== 'hot');
  }

  #bar(
    from: number,
    to: number,
    rest: { y: number; height: number; kind: string; fill?: string; title?: string },
  ): string {
    return bar({ x: this.#x(from), width: (to - from) * this.#scale, ...rest });
  }

  #x(at: number): number {
    return LEFT + (at - this.chapter.from) * this.#scale;
  }
}

function isOf(nodeIndex: string, life: string): boolean {
  return life.startsWith(`${nodeIndex}.`);
}
