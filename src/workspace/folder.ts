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
import { userUmask } from '../kernel/disk/umask.js';
import { ifMissing } from '../kernel/disk/missing-path.js';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * True if paths can be resolved from the file descriptor of a folder, so that a folder that is
 * moved meanwhile does no harm.
 */
const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * An open folder. Its entries are reached by one name at a time, never through a symbolic link. On
 * Linux they are reached from the file descriptor, so that it stays this folder even if its path
 * changes. Elsewhere they are reached by path, and the location of the opened file is checked
 * afterwards.
 */
export class Folder {
  private constructor(
    private readonly handle: FileHandle,
    /** The path at the time of opening: absolute, without symbolic links. */
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

  /** @throws NodeJS.ErrnoException if it is missing, is a symbolic link, or is not a folder */
  async openFolder(name: string): Promise<Folder> {
    const handle = await this.open(name, O_RDONLY | O_DIRECTORY);
    return new Folder(handle, join(this.path, name), this.root, this.byDescriptor);
  }

  /** Opens a folder as the root of its own tree. */
  async openAsRoot(name: string): Promise<Folder> {
    const handle = await this.open(name, O_RDONLY | O_DIRECTORY);
    const path = join(this.path, name);
    return new Folder(handle, path, path, this.byDescriptor);
  }

  /** Opens a file without following a symbolic link and without blocking, even on a pipe. */
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

  /** Undefined if nothing is there. */
  async find(name: string): Promise<Stats | undefined> {
    return lstat(this.at(name)).catch(ifMissing(undefined));
  }

  readLink(name: string): Promise<string> {
    return readlink(this.at(name));
  }

  /** Lists at most `limit` entries, in no order. */
  async list(limit: number): Promise<Dirent[]> {
    const found: Dirent[] = [];
    for await (const entry of await opendir(this.at('.'))) {
      if (found.length >= limit) break;
      found.push(entry);
    }
    if (!this.byDescriptor) await this.checkPlace('.', this.handle);
    return found;
  }

  /**
   * Makes a folder if it is missing; concurrent calls are safe. Returns true if this call has made
   * it.
   */
  async makeFolder(name: string): Promise<boolean> {
    try {
      await mkdir(this.at(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    }
    const handle = await this.open(name, O_RDONLY | O_DIRECTORY);
    await handle.chmod(0o777 & ~userUmask()).finally(() => handle.close());
    return true;
  }

  rename(from: string, to: string): Promise<void> {
    return rename(this.at(from), this.at(to));
  }

  remove(name: string): Promise<void> {
    return unlink(this.at(name));
  }

  /** Moves an entry to another folder; a symbolic link is moved itself. */
  moveInto(target: Folder, from: string, to: string): Promise<void> {
    return rename(this.at(from), target.at(to));
  }

  /** Removes an empty folder. */
  removeFolder(name: string): Promise<void> {
    return rmdir(this.at(name));
  }

  /** Gives the owner write access to the folder. */
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

  /**
   * Checks the location of an opened file. Without descriptors, a folder on the way may have been
   * replaced by a symbolic link; then the opened file is not the one that the path names.
   */
  private async checkPlace(name: string, handle: FileHandle): Promise<void> {
    const real = await realpath(this.at(name));
    const [opened, there] = await Promise.all([handle.stat(), stat(real)]);
    const isInside = real === this.root || real.startsWith(this.root + sep);
    if (!isInside || opened.ino !== there.ino || opened.dev !== there.dev)
      throw unsuitable(name, 'was moved while it was opened');
  }
}
