/** The Mermaid diagrams of a page, in their order. */
export function diagramsOf(page: string): string[] {
  return [...page.matchAll(/```mermaid\n(.*?)```/gs)].map(([, diagram]) => diagram!);
}

interface Step {
  readonly to: string;
  /** What the arrow says; undefined for an arrow without a text. */
  readonly says: string | undefined;
}

/** A flowchart that is read from its text: boxes, arrows, and the boxes that stand inside a frame. */
export class Flowchart {
  readonly #labels = new Map<string, string>();
  readonly #steps = new Map<string, Step[]>();
  readonly #frames = new Map<string, string>();

  constructor(diagram: string) {
    let frame: string | undefined;
    for (const line of diagram.split('\n')) {
      const [, opened] = /^\s*subgraph \w+\["(.+)"\]/.exec(line) ?? [];
      if (opened !== undefined) frame = opened;
      else if (/^\s*end$/.test(line)) frame = undefined;
      else this.#read(line, frame);
    }
  }

  /** Returns the labels from a box on, with the label of a frame where the way enters it; `choice` is the arrow to take if there are several. */
  way(from: string, choice?: string): string[] {
    const labels: string[] = [];
    let frame: string | undefined;
    for (let at: string | undefined = from; at !== undefined; at = this.#next(at, choice)) {
      const entered = this.#frames.get(at);
      if (entered !== undefined && entered !== frame) labels.push(entered);
      frame = entered;
      labels.push(this.#labels.get(at)!);
    }
    return labels;
  }

  #next(at: string, choice: string | undefined): string | undefined {
    const steps = this.#steps.get(at) ?? [];
    return (steps.find(({ says }) => says === choice) ?? steps.find(({ says }) => says === undefined))?.to;
  }

  #read(line: string, frame: string | undefined): void {
    let before: string | undefined;
    for (const [, says, id, label] of line.matchAll(/(?:-->(?:\|"([^"]+)"\|)? )?(\w+)(?:\(?\["?([^\]"]+)"?\]\)?)?/g)) {
      if (label !== undefined) this.#labels.set(id!, label);
      if (frame !== undefined) this.#frames.set(id!, frame);
      if (before !== undefined) this.#steps.set(before, [...(this.#steps.get(before) ?? []), { to: id!, says }]);
      before = id;
    }
  }
}
