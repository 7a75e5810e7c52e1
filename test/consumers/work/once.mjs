import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

const REQUESTS = 50;

/**
 * Equal requests at once to all replicas: one of them runs, and all get its reply.
 * @param {readonly string[]} urls
 */
export async function checkOnce(urls) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID(), 'x-user': 'ann' };
  const pay = async (/** @type {string | undefined} */ url) => {
    const answer = await fetch(`${url}/payments`, { method: 'POST', headers, body: '{"amount":1}' });
    const isReplay = answer.headers.get('idempotent-replayed') === 'true';
    return { status: answer.status, text: await answer.text(), isReplay };
  };
  const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, index) => pay(urls[index % urls.length])));
  const distinct = [...new Set(answers.map(({ status, text }) => `${status} ${text}`))];
  assert.equal(distinct.length, 1, `POST /payments answered ${distinct.slice(0, 3).join(', ')}`);
  assert.match(distinct[0] ?? '', /^201 .*"attempt":1/);
  assert.equal(answers.filter(({ isReplay }) => isReplay).length, REQUESTS - 1, 'all answers but one are replays');
  const runs = await Promise.all(urls.map(async (url) => Number(await (await fetch(`${url}/payments/runs`)).text())));
  assert.equal(
    runs.reduce((sum, each) => sum + each, 0),
    1,
    `POST /payments ran ${runs.join(' and ')} times`,
  );
}
