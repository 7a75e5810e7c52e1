import { once } from 'node:events';
import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';

/**
 * Lets a server handle a request in the async context of the caller, without a connection, as `inject()` of Fastify does. (Jest cannot load what
 * Fastify needs for that.) Resolves with the status.
 */
export async function sendWithin(server: Server, path: string): Promise<number> {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: 'POST', url: path, headers: { 'content-length': '0' }, complete: true });
  request.push(null);
  const response = new ServerResponse(request);
  response.assignSocket(new Writable({ write: (_chunk, _encoding, done) => done() }) as Socket);
  const end = once(response, 'finish');
  server.emit('request', request, response);
  await end;
  return response.statusCode;
}
