import Table from 'cli-table3';

const NO_LINES = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, '']),
);

/** Returns rows as text in columns, without lines and colours, so that it can be piped and pasted. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = new Table({
    chars: { ...NO_LINES, middle: '  ' },
    head: [...head],
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) columns.push([...row]);
  return columns
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
