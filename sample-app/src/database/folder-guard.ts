import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';

/**
 * Keeps a second process out of a folder. A listening socket does not outlive its process as a number in a file would.
 * @returns what gives the folder free
 */
export async function guardFolder(folder: string): Promise<() => Promise<void>> {
  const path = process.platform === 'win32' ? join('\\\\?\\pipe', resolve(folder)) : join(folder, 'in-use.sock');
  if (await answers(path)) {
    throw new Error(`${folder} is in use by another process: end it, or set DATA_FOLDER or DATABASE_URL`);
  }
  // What a killed process left.
  await rm(path, { force: true });
  const guard = await listen(path);
  return async () => {
    await once(guard.close(), 'close');
  };
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // nobody listens
  } finally {
    socket.destroy();
  }
}

async function listen(path: string): Promise<Server> {
  const guard = createServer((socket) => socket.destroy());
  await once(guard.listen(path), 'listening');
  // It guards as long as the process runs, and is no reason for it to run.
  return guard.unref();
}
