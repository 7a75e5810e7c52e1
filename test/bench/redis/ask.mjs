import { connect } from 'node:net';

/**
 * One command to one node over a connection of its own, that leaves nothing open between two runs.
 * @param {number} port
 * @param {string} command as one would type it
 * @returns {Promise<string>} the reply as it came
 */
export function ask(port, command) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let reply = '';
    socket.setTimeout(5_000, () => socket.destroy(new Error(`node ${port} does not answer ${command}`)));
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      reply += String(text);
    });
    socket.once('error', reject);
    socket.once('end', () => resolve(reply.replace(/\+OK\r\n$/, '')));
    socket.write(`${command}\r\nQUIT\r\n`);
  });
}

/** Ms of processor time that a node has used, in user and system mode. @param {number} port */
export async function usedCpu(port) {
  const info = await ask(port, 'INFO cpu');
  const seconds = ['used_cpu_sys', 'used_cpu_user'].map((name) => Number(info.match(`${name}:([\\d.]+)`)?.[1]));
  return seconds.reduce((sum, value) => sum + value, 0) * 1e3;
}
