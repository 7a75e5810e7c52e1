import { randomUUID } from 'node:crypto';

/** @typedef {Awaited<ReturnType<typeof race>>} Outcome */
/**
 * @typedef {object} RaceOptions
 * @property {number} [count] requests, in turn to all replicas
 * @property {string} [email] the address that signs up
 * @property {(answer: { replica: number, status: number }) => void} [answered] called for each answer
 */

/**
 * Identical sign-ups at all replicas at the same moment. The statuses are one per request, and 0 if there was no answer; `bodies` says how many different ones came with a 201.
 * @param {string[]} replicas @param {string} path @param {RaceOptions} [options]
 */
export async function race(replicas, path, { count = 50, email = newEmail(), answered } = {}) {
  const begin = performance.now();
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const replica = index % replicas.length;
      const answer = await signUp(replicas[replica] + path, email).catch(() => ({ status: 0, body: '' }));
      answered?.({ replica, status: answer.status });
      return answer;
    }),
  );
  const ms = performance.now() - begin;
  const response = await fetch(`${replicas[0]}/users?email=${email}`);
  if (!response.ok) throw new Error(`GET /users answered ${response.status}: ${await response.text()}`);
  const { users, bonuses } = /** @type {{ users: number, bonuses: number }} */ (await response.json());
  const bodies = new Set(answers.flatMap(({ status, body }) => (status === 201 ? [body] : []))).size;
  const statuses = answers.map(({ status }) => status);
  return { endpoint: `POST ${path}`, users, bonuses, statuses, bodies, ms };
}

/** An address that nobody has used. */
export function newEmail() {
  return `ada.${randomUUID()}@example.com`;
}

/** @param {Outcome} outcome @param {number} status */
export function countOf({ statuses }, status) {
  return statuses.filter((each) => each === status).length;
}

/** One user, one bonus, and one request that was told so. @param {Outcome} outcome */
export function isExactlyOnce(outcome) {
  return outcome.users === 1 && outcome.bonuses === 1 && countOf(outcome, 201) === 1;
}

/** One user, one bonus, and the same 201 for every request. @param {Outcome} outcome */
export function isOneAnswer(outcome) {
  const { users, bonuses, bodies, statuses } = outcome;
  return users === 1 && bonuses === 1 && bodies === 1 && countOf(outcome, 201) === statuses.length;
}

/** @param {string} url @param {string} email */
async function signUp(url, email) {
  const body = new URLSearchParams({ email, name: 'Ada' });
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(60_000) });
  return { status: response.status, body: await response.text() };
}
