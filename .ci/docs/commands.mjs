// docs/reference/commands.md: commands, arguments and flags as commander has them, and the exit codes.
import { code, table } from './table.mjs';

const ignore = () => undefined;

/** @param {import('./code.mjs').Code} lib */
export function commandsPage(lib) {
  const program = lib.programFor(
    { env: {}, print: ignore, complain: ignore, ask: undefined, columns: 80 },
    ignore,
    async () => undefined,
  );
  const codes = Object.entries(lib.MEANINGS).map(([name, meaning]) => [
    code(`${lib.EXIT[/** @type {keyof typeof lib.EXIT} */ (name)]}`),
    meaning,
  ]);
  const shared = sharedBy(program.commands);
  return `# Commands

Every command of \`npx nestjs-redlock\`, with its flags and its exit codes.

**Read this if** you write a script or a probe with the command. [The command line](../operate/cli.md) shows what each command prints.

## Flags of all commands

${flags(shared)}

\`npx nestjs-redlock --version\` prints the version, and \`--help\` prints this page in short.

${program.commands.map((command) => section(command, shared)).join('\n\n')}

## Exit codes

${table(['code', 'meaning'], codes)}

**Next:** [the command line](../operate/cli.md).

[All pages](../README.md)
`;
}

/** @typedef {import('commander').Command} Command */
/** @typedef {import('commander').Option} Option */

/** @param {Command} command @param {readonly Option[]} shared */
function section(command, shared) {
  const names = shared.map(({ flags: text }) => text);
  const own = command.options.filter((option) => !names.includes(option.flags));
  const given = command.registeredArguments.map((argument) => [
    code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`),
    shown(argument.defaultValue) || (argument.required ? 'required' : 'none'),
    sentence(argument.description),
  ]);
  const usage = ['npx nestjs-redlock', command.name(), ...given.map(([name]) => name?.replaceAll('`', ''))].join(' ');
  const parts = [`## ${command.name()}`, sentence(command.description()), `\`\`\`sh\n${usage}\n\`\`\``];
  if (given.length + own.length > 0) parts.push(flags(own, given));
  return parts.join('\n\n');
}

/** @param {readonly Option[]} options @param {readonly (readonly string[])[]} more */
function flags(options, more = []) {
  const rows = options.map((option) => [
    code(option.flags),
    shown(option.defaultValue) || (option.flags.includes('<') ? 'none' : 'off'),
    sentence(option.description),
  ]);
  return table(['flag', 'default', 'meaning'], [...more, ...rows]);
}

/** @param {readonly Command[]} commands */
function sharedBy(commands) {
  const [first, ...others] = commands;
  const has = (/** @type {Command} */ command, /** @type {Option} */ option) =>
    command.options.some(({ flags: text }) => text === option.flags);
  return (first?.options ?? []).filter((option) => others.every((command) => has(command, option)));
}

/** @param {unknown} value */
function shown(value) {
  if (typeof value === 'number') return code(value.toLocaleString('en-US').replaceAll(',', '_'));
  return typeof value === 'string' ? code(value) : '';
}

/** @param {string} text */
function sentence(text) {
  // The name of an option of the application stays as it is.
  const start = /^[a-z]+\b/.test(text) ? text.slice(0, 1).toUpperCase() : text.slice(0, 1);
  return `${start}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`.replaceAll(/\b\w+:[*?]/g, '`$&`');
}
