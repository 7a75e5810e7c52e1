import { element } from '../playground/view/element.js';
import type { LiveEvent, NodeState } from './live-events.js';

type Deed = 'kill' | 'freeze' | 'slow' | 'heal' | 'restart';
type Status = Extract<LiveEvent, { type: 'status' }>;

const NAMES: Readonly<Record<Deed, string>> = {
  kill: 'Kill',
  freeze: 'Freeze',
  slow: 'Slow',
  heal: 'Heal',
  restart: 'Restart empty',
};
const DEEDS: Readonly<Record<NodeState['state'], readonly Deed[]>> = {
  up: ['kill', 'freeze', 'slow', 'restart'],
  slow: ['kill', 'freeze', 'heal', 'restart'],
  frozen: ['kill', 'heal', 'restart'],
  down: ['restart'],
};

/** The nodes with their states, as a replica sees them. Nodes that the launcher has started have buttons. */
export class NodeList {
  #shown = '';

  constructor(
    private readonly list: HTMLElement,
    private readonly votes: HTMLElement,
    private readonly act: (node: number, deed: Deed) => void,
  ) {}

  show(nodes: readonly NodeState[], { nodes: statuses, quorum }: Pick<Status, 'nodes' | 'quorum'>): void {
    const voting = statuses.filter(({ votes }) => votes).length;
    const can = voting >= quorum ? 'locks can be taken' : 'no lock can be taken: requests get 503';
    const text = `${voting} of ${statuses.length} nodes vote, ${quorum} needed: ${can}.`;
    if (statuses.length > 0 && this.votes.textContent !== text) this.votes.textContent = text;
    const rows = statuses.map((status, index) => ({
      name: `Node ${index + 1}`,
      state: nodes[index]?.state,
      ...stateOf(status),
    }));
    const shown = JSON.stringify(rows);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const focused = document.activeElement?.getAttribute('data-deed');
    this.list.replaceChildren(...rows.map((row, index) => this.#row(row, index)));
    if (nodes.length === 0)
      this.list.append(
        element('li', {}, 'The launcher did not start these nodes. To stop one, use for example docker compose kill.'),
      );
    if (focused)
      (this.list.querySelector<HTMLElement>(`[data-deed="${focused}"]`) ?? this.list.querySelector('button'))?.focus();
  }

  #row(
    { name, state, says, tone }: { name: string; state: NodeState['state'] | undefined; says: string; tone: string },
    index: number,
  ): HTMLElement {
    const buttons = (state === undefined ? [] : DEEDS[state]).map((deed) =>
      element(
        'button',
        {
          type: 'button',
          'data-deed': `${deed}-${index}`,
          'aria-label': `${NAMES[deed]} ${name}`,
          click: () => this.act(index + 1, deed),
        },
        NAMES[deed],
      ),
    );
    return element(
      'li',
      {},
      element('span', {}, name),
      element('strong', { class: `badge ${tone}` }, says),
      ...buttons,
    );
  }
}

function stateOf({ up, votes, votesIn }: Status['nodes'][number]): { says: string; tone: string } {
  if (votes) return { says: 'votes', tone: 'good' };
  if (votesIn !== undefined)
    return { says: `may have forgotten: no vote for ${Math.ceil(votesIn / 1_000)} s`, tone: 'wait' };
  return up ? { says: 'does not vote', tone: 'wait' } : { says: 'does not answer', tone: 'bad' };
}
