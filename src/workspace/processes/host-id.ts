import { readFile, readlink } from 'node:fs/promises';

let known: Promise<string | undefined> | undefined;

/**
 * Identifies the scope in which pids are valid: this boot of this machine, and this container.
 * Undefined if unknown.
 */
export function hostId(): Promise<string | undefined> {
  return (known ??= readHostId().catch(() => undefined));
}

async function readHostId(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return `${boot.trim()}/${await readlink('/proc/self/ns/pid')}`;
}
