import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of its own, in memory, that a test can fill up. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  /** Why there can be none, or undefined: mounting is a privilege. */
  static async findFault(): Promise<string | undefined> {
    try {
      const disk = await SmallDisk.mount(1);
      await disk.remove();
      return undefined;
    } catch (error) {
      const fault = `no small disk can be mounted (${(error as Error).message.split('\n', 1)[0]})`;
      process.stderr.write(`Skipped: ${fault}\n`);
      return fault;
    }
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const path = await mkdtemp(join(tmpdir(), 'parley-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', path]);
    } catch (error) {
      await rm(path, { recursive: true });
      throw error;
    }
    return new SmallDisk(path);
  }

  /** Leaves no room, until `empty`. */
  async fill(): Promise<void> {
    for (;;) {
      const { bavail, bsize } = await statfs(this.path);
      if (bavail === 0) return;
      const ballast = Buffer.alloc(bavail * bsize);
      await writeFile(this.ballast, ballast, { flag: 'a' }).catch(() => {}); // it takes what fits
    }
  }

  async empty(): Promise<void> {
    await rm(this.ballast, { force: true });
  }

  async remove(): Promise<void> {
    await run('umount', ['--lazy', this.path]);
    await rm(this.path, { recursive: true, force: true });
  }

  private get ballast(): string {
    return join(this.path, 'ballast');
  }
}
