import 'reflect-metadata';
import { ClientProxyFactory, Transport } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { Caller, measureCalls } from './callers.mjs';

/**
 * Sends messages to a microservice over one connection, so many at a time.
 * @param {undefined} _client
 * @param {{ run: string, port: number, connections: number, length: number, warmUp: number }} params ms
 */
export async function prepare(_client, { run, port, connections, ...times }) {
  const client = ClientProxyFactory.create({ transport: Transport.TCP, options: { host: '127.0.0.1', port } });
  await client.connect();
  const call = async (/** @type {string} */ email) => {
    const answer = await lastValueFrom(client.send('register', { email }));
    return answer.email === email ? undefined : JSON.stringify(answer);
  };
  const callers = Array.from({ length: connections }, (_, index) => new Caller(`${run}-${index}`, call));
  return measureCalls(callers, times);
}
