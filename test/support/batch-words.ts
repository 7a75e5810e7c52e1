import { wordsOf } from './command-words.js';

/** Reads a script call as the script does: its head, and what each operation would be run with. */
export function decode(wire: string) {
  const [words] = wordsOf(wire);
  const [command, script, keyCount, mark, marker, fences, ...rest] = words!;
  const keys = rest.splice(0, Number(keyCount) - 3);
  const [sender, letters, values, counters, maxTtl, ...extras] = rest;
  const [check, verbs] = [letters![0], letters!.slice(1)];
  const run = extras.pop();
  const counted = keys.map((key, index) => [key, counters!.slice(3 * index, 3 * index + 3)] as const);
  let [ttl, terms, proposal, tokens, value]: (string | undefined)[] = [];
  let valueAt = 0;
  const operations = [...verbs].flatMap((verb) => {
    if (verb === '@') [ttl, terms, proposal, tokens] = extras.splice(0, 4);
    else if (verb === '=') [value] = extras.splice(0, 1);
    else {
      const own = value ?? values!.slice(valueAt, (valueAt += 27));
      value = undefined;
      const count = /[a-z]/.test(verb) ? Number(extras.shift()) : 1;
      return [{ verb, keys: keys.splice(0, count), value: own, ttl, terms, proposal, tokens }];
    }
    return [];
  });
  const trust = { marker, maxTtl, check, run };
  return {
    command,
    script,
    mark,
    sender,
    trust,
    fences,
    counted,
    operations,
    left: [...keys, ...extras, values!.slice(valueAt)].join(''),
  };
}
