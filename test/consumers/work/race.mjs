import assert from 'node:assert/strict';

/** @typedef {{ began: number, ended: number, token: number, count?: number }} Placed */

// A machine that stands still for long loses locks, and says so: that is no fault, the next ones are taken.
const TRIES = 10;

/**
 * Two identical requests at once to each replica: all run, one after the other.
 * @param {readonly string[]} urls
 */
export async function checkRace(urls) {
  const placed = (await race(urls)).sort((a, b) => a.began - b.began);
  for (const [index, next] of placed.slice(1).entries()) {
    const before = /** @type {Placed} */ (placed[index]);
    assert.ok(next.began >= before.ended, `two at once: ${JSON.stringify(placed)}`);
    assert.ok(next.token > before.token, `tokens do not grow: ${JSON.stringify(placed)}`);
    if (before.count !== undefined) assert.equal(next.count, before.count + 1, 'an update was lost');
  }
  const [url] = urls;
  const taken = await post(`${url}/orders/taken`, 1);
  assert.equal(taken.status, 409, `a taken lock answered ${JSON.stringify(taken)}`);
  assert.equal(/** @type {{ code: string }} */ (taken.body).code, 'RESOURCE_LOCKED');
}

/** @param {readonly string[]} urls @param {number} [id] @returns {Promise<Placed[]>} */
async function race(urls, id = 1) {
  const answers = await Promise.all([...urls, ...urls].map((url) => post(`${url}/orders`, id)));
  const refused = answers.find(({ status }) => status !== 201);
  if (refused === undefined) return answers.map(({ body }) => /** @type {Placed} */ (body));
  assert.ok(id < TRIES, `POST /orders answered ${JSON.stringify(refused)}, ${TRIES} times`);
  return race(urls, id + 1);
}

/** @param {string} url @param {number} id */
async function post(url, id) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ id }) });
  const text = await answer.text();
  return { status: answer.status, body: /** @type {unknown} */ (text && JSON.parse(text)) };
}
