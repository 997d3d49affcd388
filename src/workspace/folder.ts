import { constants, existsSync } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  realpath,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Dirent, Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { unsuitable } from './workspace-fault.js';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Whether a folder's descriptor can be walked from, so that nobody can move it away under us. */
const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * An open folder. What is in it is reached by one name at a time, never through a symbolic link: on Linux from the folder's descriptor, so
 * that it stays this folder whatever becomes of its path; elsewhere by path, and what was opened is then checked to be where it should.
 */
export class Folder {
  private constructor(
    private readonly handle: FileHandle,
    /** Where it was when it was opened: absolute, without links. */
    readonly path: string,
    private readonly root: string,
    private readonly byDescriptor: boolean,
  ) {}

  /** @throws NodeJS.ErrnoException if it is not a folder */
  static async openRoot(path: string, byDescriptor = HAS_DESCRIPTOR_PATHS): Promise<Folder> {
    const real = await realpath(path);
    const handle = await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new Folder(handle, real, real, byDescriptor);
  }

  /** @throws NodeJS.ErrnoException if it is not there, is a link, or not a folder */
  async openFolder(name: string): Promise<Folder> {
    const handle = await this.open(name, O_RDONLY | O_DIRECTORY);
    return new Folder(handle, join(this.path, name), this.root, this.byDescriptor);
  }

  /** The same, as the root of a world of its own. */
  async openAsRoot(name: string): Promise<Folder> {
    const handle = await this.open(name, O_RDONLY | O_DIRECTORY);
    const path = join(this.path, name);
    return new Folder(handle, path, path, this.byDescriptor);
  }

  /** Follows no link and waits for nobody, not even at a pipe. */
  async open(name: string, flags: number, mode?: number): Promise<FileHandle> {
    const handle = await open(this.at(name), flags | O_NOFOLLOW | O_NONBLOCK, mode);
    if (this.byDescriptor) return handle;
    try {
      await this.checkPlace(name, handle);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** undefined: nothing is there. */
  async find(name: string): Promise<Stats | undefined> {
    try {
      return await lstat(this.at(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  readLink(name: string): Promise<string> {
    return readlink(this.at(name));
  }

  /** What is in it, in no order; no more than `limit` of it. */
  async list(limit: number): Promise<Dirent[]> {
    const found: Dirent[] = [];
    for await (const entry of await opendir(this.at('.'))) {
      if (found.length >= limit) break;
      found.push(entry);
    }
    if (!this.byDescriptor) await this.checkPlace('.', this.handle);
    return found;
  }

  /** Whoever makes it first, it is there. Answers whether that was us. */
  async makeFolder(name: string): Promise<boolean> {
    try {
      await mkdir(this.at(name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    }
  }

  rename(from: string, to: string): Promise<void> {
    return rename(this.at(from), this.at(to));
  }

  remove(name: string): Promise<void> {
    return unlink(this.at(name));
  }

  /** Takes it to another folder; a link as what it is. */
  moveInto(target: Folder, from: string, to: string): Promise<void> {
    return rename(this.at(from), target.at(to));
  }

  /** An empty one. */
  removeFolder(name: string): Promise<void> {
    return rmdir(this.at(name));
  }

  /** Lets its owner change what is in it. */
  unlock(): Promise<void> {
    return this.handle.chmod(0o700);
  }

  sync(): Promise<void> {
    return this.handle.sync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private at(name: string): string {
    return this.byDescriptor ? `/proc/self/fd/${this.handle.fd}/${name}` : join(this.path, name);
  }

  /** Without descriptors a folder on the way may have been swapped for a link: then what was opened is not what the path means. */
  private async checkPlace(name: string, handle: FileHandle): Promise<void> {
    const real = await realpath(this.at(name));
    const [opened, there] = await Promise.all([handle.stat(), stat(real)]);
    const isInside = real === this.root || real.startsWith(this.root + sep);
    if (!isInside || opened.ino !== there.ino || opened.dev !== there.dev)
      throw unsuitable(name, 'was moved while it was opened');
  }
}
