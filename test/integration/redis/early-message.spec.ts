import { afterEach, expect, it } from '@jest/globals';
import { Redlock } from '../../../lib/engine/redlock.js';
import { SystemClock } from '../../../lib/engine/system-clock.js';
import { eventually } from '../../support/eventually.js';
import { bulk, HostileNode } from '../../support/hostile-node.js';
import { realNodes } from '../../support/real-nodes.js';

const INFO = bulk(`# Server\r\nredis_version:7.0.15\r\nrun_id:${'b'.repeat(40)}\r\nrole:master`);
/** What it answers to whatever is asked after INFO, which has to wait. */
const LATER: Readonly<Record<string, string>> = { get: '_\r\n', exists: ':0\r\n', eval: ':0\r\n' };
const VALUE = 'process.2';
const TRUST = { maxTtl: 1_500, restartQuarantine: true };

let node: HostileNode;
let redlock: Redlock;
afterEach(async () => {
  await redlock.close();
  await node.stop();
});

it('a vote that comes before a node has said which server it is stays there: its deposit is still alive', async () => {
  let channel = '';
  let withheld = '';
  let isSilent = true;
  const sent: string[] = [];
  node = await HostileNode.start(([name, ...words]) => {
    sent.push(...words);
    if (name === 'subscribe') channel = words[0]!;
    const answer = name === 'info' ? INFO : LATER[name!];
    if (!isSilent || answer === undefined) return undefined;
    withheld += answer;
    return '';
  });
  const clock = new SystemClock();
  redlock = new Redlock({ nodes: realNodes([node.url], clock, TRUST), clock, maxTtl: TRUST.maxTtl });
  const opened = redlock.open();
  const asked = ['subscribe', 'info', 'get', 'exists', 'eval'];
  await eventually(() => expect(node.commands).toEqual(expect.arrayContaining(asked)));
  node.push(`>3\r\n${bulk('message')}${bulk(channel)}${bulk(`${VALUE} ${Date.now()}000 - ${Date.now()} a`)}`);
  isSilent = false;
  node.push(withheld);
  await opened;
  // Whatever is pending for the node has been sent when it has answered this.
  await redlock.tryAcquire('b').catch(() => undefined);
  expect(sent).toContain('b');
  expect(sent).not.toContain(VALUE);
});
