/** A parser of Mermaid needs a browser, so this knows the part of its language that the book uses. */

const ARROW = String.raw`--?(?:>>?|x|\))`;
const SEQUENCE: readonly RegExp[] = [
  /^participant \w+( as [^#;]+)?$/,
  new RegExp(String.raw`^\w+${ARROW}\w+: [^;]+$`),
  /^Note (over|left of|right of) \w+(,\w+)?: [^;]+$/,
  /^(alt|else|loop|opt|par|and)( [^;]+)?$/,
  /^end$/,
];
// Without # and ;: an entity such as #lt; comes out as other characters.
const NODE = String.raw`[\w-]+(?:\(\[[^\][()#;]+\]\)|\["[^"#;]+"\]|\[[^\]["()#;]+\])?`;
const LINK = String.raw`(?:-->(?:\|"?[^|"#;]+"?\|)?|~~~|-- [^-"#;]+ -->|-- "[^"#;]+" -->)`;
const FLOWCHART: readonly RegExp[] = [
  /^direction (TB|TD|LR|RL|BT)$/,
  /^subgraph \w+(\["[^"]+"\])?$/,
  /^end$/,
  new RegExp(`^${NODE}( ${LINK} ${NODE})*$`),
];
const STATE: readonly RegExp[] = [
  /^state "[^"]+" as \w+$/,
  /^direction (TB|LR)$/,
  /^(\[\*\]|\w+) --> (\[\*\]|\w+)(: [^;:]+)?$/,
];
const KINDS: readonly (readonly [start: RegExp, lines: readonly RegExp[]])[] = [
  [/^sequenceDiagram$/, SEQUENCE],
  [/^flowchart (TB|TD|LR|RL|BT)$/, FLOWCHART],
  [/^stateDiagram-v2$/, STATE],
];

/** Returns the diagrams of a page. */
export function diagramsOf(page: string): string[] {
  return [...page.matchAll(/^```mermaid\n(.*?)^```/gms)].map(([, diagram]) => diagram!);
}

/** Returns the lines of a diagram that GitHub would show as an error. */
export function mistakesIn(diagram: string): string[] {
  const [start = '', ...lines] = diagram
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const grammar = KINDS.find(([kind]) => kind.test(start))?.[1];
  if (grammar === undefined) return [start];
  const wrong = lines.filter((line) => !grammar.some((rule) => rule.test(line)));
  return [...wrong, ...unbalanced(lines), ...strangers(lines, grammar)];
}

function unbalanced(lines: readonly string[]): string[] {
  const opened = lines.filter((line) => /^(alt|loop|opt|par|subgraph)\b/.test(line)).length;
  const ended = lines.filter((line) => line === 'end').length;
  return opened === ended ? [] : [`${opened} blocks, ${ended} ends`];
}

/** Returns the actors of a sequence diagram that are not declared: they would be drawn at its end. */
function strangers(lines: readonly string[], grammar: readonly RegExp[]): string[] {
  if (grammar !== SEQUENCE) return [];
  const declared = new Set(lines.flatMap((line) => /^participant (\w+)/.exec(line)?.[1] ?? []));
  const message = new RegExp(String.raw`^(\w+)${ARROW}(\w+):`);
  const named = lines.flatMap((line) => message.exec(line)?.slice(1) ?? []);
  return [...new Set(named)].filter((actor) => !declared.has(actor));
}
