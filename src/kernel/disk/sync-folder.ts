import { open } from 'node:fs/promises';

/**
 * Makes created, renamed and removed entries of a folder durable against a power loss. Windows does
 * not support this, and does not need it.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
