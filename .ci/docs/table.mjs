// Tables in Markdown.

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows @returns {string} */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A `|` would end the cell. @param {string} text */
function cell(text) {
  return (
    text
      .replaceAll(/\\?\|/g, String.raw`\|`)
      .replaceAll('\n', ' ')
      .trim() || ' '
  );
}

/** @param {string} text */
export function code(text) {
  return text === '' ? '' : `\`${text}\``;
}

/** Shows the values in a sentence as code: without that, '<user.id>' would be HTML. @param {string} text */
export function quoted(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/'([^'\s]*)'/g, "`'$1'`")))
    .join('');
}
