import { mean, median } from '../harness/statistics.mjs';
import { barePings } from './bare-pings.mjs';
import { section } from './section.mjs';

/**
 * What an ideal is made of: one command's way to a quorum and back, and how long a section really lasts in a process
 * that has the lock for itself.
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {{ run: string, sectionLength: number, rounds: number, ports: readonly number[] }} params
 * @returns {Promise<import('../harness/child-main.mjs').Measure>}
 */
export async function prepare(client, { run, sectionLength, rounds, ports }) {
  const key = `control:${run}`;
  await commandTimes(client, key, rounds); // the first ones only warm up
  return async () => {
    const roundTrip = median(await commandTimes(client, key, rounds));
    const sections = await sectionLengths(client, { key, sectionLength, rounds });
    const sectionCpu = await cpuOfSections(sectionLength, rounds);
    return { roundTrip, section: mean(sections), sectionCpu, ...(await barePings(ports, { sectionLength, rounds })) };
  };
}

/** @param {import('../candidates/candidates.mjs').Client} client @param {string} key @param {number} rounds */
async function commandTimes(client, key, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const lock = await client.acquire(key);
    times.push(performance.now() - start);
    await client.release(lock);
  }
  return times;
}

/**
 * @param {import('../candidates/candidates.mjs').Client} client
 * @param {{ key: string, sectionLength: number, rounds: number }} params
 */
async function sectionLengths(client, { key, sectionLength, rounds }) {
  const lengths = [];
  for (let round = 0; round < rounds; round += 1) {
    const lock = await client.acquire(key);
    const start = performance.now();
    await section(sectionLength);
    lengths.push(performance.now() - start);
    await client.release(lock);
  }
  return lengths;
}

/**
 * What the waiting alone costs in µs of processor time: a part of every candidate's figure.
 * @param {number} sectionLength
 * @param {number} rounds
 */
async function cpuOfSections(sectionLength, rounds) {
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) await section(sectionLength);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rounds;
}
