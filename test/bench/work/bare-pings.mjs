import { BareNodes } from './bare-nodes.mjs';
import { section } from './section.mjs';

const PING = Buffer.from('PING\r\n');

/**
 * What bounds every candidate on this machine: a PING to all nodes on bare sockets, answered by a quorum, after each section.
 * A process that slept for a ms pays more for a round trip than one that never rests.
 * @param {readonly number[]} ports
 * @param {{ sectionLength: number, rounds: number }} params
 * @returns {Promise<{ bareTurn: number, bareCpu: number }>} ms that section and round trip take together; µs
 */
export async function barePings(ports, { sectionLength, rounds }) {
  const nodes = await BareNodes.open(ports);
  try {
    await repeat(nodes, { sectionLength, rounds: rounds / 10 }); // only to warm up
    const cpuBefore = process.cpuUsage();
    const start = performance.now();
    await repeat(nodes, { sectionLength, rounds });
    const elapsed = performance.now() - start;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { bareTurn: elapsed / rounds, bareCpu: (user + system) / rounds };
  } finally {
    nodes.close();
  }
}

/** @param {BareNodes} nodes @param {{ sectionLength: number, rounds: number }} params */
async function repeat(nodes, { sectionLength, rounds }) {
  for (let round = 0; round < rounds; round += 1) {
    await section(sectionLength);
    await nodes.ask(nodes.sockets.map(() => PING));
  }
}
