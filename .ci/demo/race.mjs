import { randomUUID } from 'node:crypto';

const REQUESTS = 50;
/** Ms after which a request counts as unanswered. */
const PATIENCE = 60_000;

/**
 * @typedef {object} Outcome
 * @property {string} endpoint
 * @property {number} users
 * @property {number} bonuses
 * @property {number[]} statuses one per request; 0 where there was no answer
 * @property {number} ms
 */

/**
 * Fifty identical sign-ups at all replicas at the same moment, with an address that nobody has used.
 * @param {string[]} replicas @param {string} path
 * @returns {Promise<Outcome>}
 */
export async function race(replicas, path) {
  const email = `ada.${randomUUID()}@example.com`;
  const urls = Array.from({ length: REQUESTS }, (_, index) => replicas[index % replicas.length] + path);
  const begin = performance.now();
  const statuses = await Promise.all(urls.map((url) => signUp(url, email)));
  const ms = performance.now() - begin;
  const { users, bonuses } = await count(replicas[0], email);
  return { endpoint: `POST ${path}`, users, bonuses, statuses, ms };
}

/** @param {Outcome} outcome @param {number} status */
export function answered(outcome, status) {
  return outcome.statuses.filter((each) => each === status).length;
}

/** One user, one bonus, and one request that was told so. @param {Outcome} outcome */
export function isExactlyOnce(outcome) {
  return outcome.users === 1 && outcome.bonuses === 1 && answered(outcome, 201) === 1;
}

/** @param {string} url @param {string} email */
async function signUp(url, email) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, name: 'Ada' }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** @param {string | undefined} replica @param {string} email @returns {Promise<{ users: number, bonuses: number }>} */
async function count(replica, email) {
  const response = await fetch(`${replica}/users?email=${email}`);
  if (!response.ok) throw new Error(`GET /users answered ${response.status}: ${await response.text()}`);
  return /** @type {Promise<{ users: number, bonuses: number }>} */ (response.json());
}
