/**
 * How to go on by hand.
 * @param {string} page the address of the live page
 * @param {string[]} replicas
 * @param {import('./redis-nodes.mjs').Node[]} nodes
 */
export function guide(page, [first = '', second = ''], nodes) {
  // The data is kept from one start to the next.
  const email = `ada-${Date.now()}@example.com`;
  const [one, two, three] = nodes.map(({ pid }) => pid);
  const steps = [
    [`curl -i -d email=${email} -d name=Ada ${first}/users`, '201'],
    [`curl -i -d email=${email} -d name=Ada ${second}/users`, '409: the other replica knows'],
    [`curl -i -d email=bob.${email} -d name=Bob ${first}/once/users`, '201'],
    [`curl -i -d email=bob.${email} -d name=Bob ${second}/once/users`, '201 again: the same answer, replayed'],
    [`curl "${second}/users?email=${email}"`, 'one user, one bonus'],
    [`curl -X DELETE ${first}/duplicates`, 'clears up after /unsafe/users; the bonuses stay paid'],
  ];
  if (three !== undefined) {
    steps.push([`kill ${one} ${two}`, 'two of the five nodes: sign-ups go on']);
    steps.push([`kill ${three}`, 'a third one: sign-ups are refused after 1 s (503), none runs unlocked']);
  }
  const width = Math.max(...steps.map(([command = '']) => command.length));
  const lines = steps.map(([command = '', comes]) => `  ${command.padEnd(width)}  # ${comes}`);
  return [
    `See it, and break it, in a browser: ${page}`,
    '',
    'Both replicas serve until Ctrl-C. To try by hand:',
    ...lines,
  ].join('\n');
}
