/** What a PromQL expression reads: the metric, by a pattern of its name, and the labels that it is selected or grouped by. */
export interface Selection {
  readonly name: RegExp;
  readonly labels: readonly string[];
}

const GROUPING = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;
const SELECTOR = /(\bredlock_\w+)?\{([^}]*)\}|\bredlock_\w+/g;

/** Returns what an expression selects. The labels of its groupings are those of each of its metrics, as there is one for most expressions. */
export function selectionsOf(expression: string): Selection[] {
  const groups = [...expression.matchAll(GROUPING)].flatMap(([, names]) =>
    names!.split(',').map((name) => name.trim()),
  );
  const labels = groups.filter((name) => name !== '' && name !== 'le');
  const selectors = [...expression.replaceAll(GROUPING, '').matchAll(SELECTOR)];
  return selectors.map(([whole, before, braces = '']) => {
    const named = /__name__=~"([^"]*)"/.exec(braces)?.[1];
    const matched = [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, name]) => name!);
    const name = new RegExp(`^(?:${named ?? before ?? whole})$`);
    return { name, labels: [...labels, ...matched.filter((label) => label !== '__name__')] };
  });
}
