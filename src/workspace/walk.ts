import type { Stats } from 'node:fs';
import { posix } from 'node:path';
import type { Folder } from './folder.js';
import { normalizeText } from '../kernel/text/normalize-text.js';
import { missing, refused, unsuitable } from './workspace-fault.js';

/** The target of a path: a name in an open folder. The caller closes the folder. */
export interface Place {
  readonly folder: Folder;
  /** `.` for the folder itself. */
  readonly name: string;
  /** Undefined if nothing is there yet. Never the stats of a symbolic link. */
  readonly stats: Stats | undefined;
  /** The names behind it that are left; they may include `..`. */
  readonly rest: readonly string[];
}

export interface WalkOptions {
  /** The path as given, for messages. */
  readonly path: string;
  /** If true, missing folders on the way are made. */
  readonly make?: boolean;
  /** If true, the walk ends at the first name that is missing. */
  readonly partly?: boolean;
}

const MAX_LINKS = 40;
/** Entries that are compared with names in a walk. */
const MAX_COMPARED = 10_000;
const ASCII = /^[\0-\x7f]*$/;

/**
 * Walks from the root to a file, one name at a time. A name that is not there means the one entry
 * that is canonically equivalent to it: macOS decomposes letters, people type composed ones.
 * Symbolic links are resolved in this code and
 * only inside of the root. No file is opened through a symbolic link, so one that appears between
 * the check and the opening is an error, not a way out.
 * @throws WorkspaceFault
 */
export async function walk(
  root: Folder,
  names: readonly string[],
  options: WalkOptions,
): Promise<Place> {
  const walker = new Walker(root, names, options);
  try {
    const place = await walker.go();
    await walker.leave(place.folder);
    return place;
  } catch (error) {
    await walker.leave();
    throw toFault(error, options.path);
  }
}

class Walker {
  /** The open folders from the root on; the root belongs to the caller. */
  private readonly way: Folder[];
  private readonly todo: string[];
  private links = 0;
  private compared = 0;

  constructor(
    private readonly root: Folder,
    names: readonly string[],
    private readonly options: WalkOptions,
  ) {
    this.way = [];
    this.todo = [...names];
  }

  async go(): Promise<Place> {
    for (let name = this.todo.shift(); name !== undefined; name = this.todo.shift()) {
      if (name === '..') await this.goUp();
      else {
        const found = await this.find(name);
        if (found.stats?.isSymbolicLink()) await this.follow(found.name);
        else if (this.todo.length === 0 || (!found.stats && this.options.partly))
          return { folder: await this.ownHere(), ...found, rest: this.todo };
        else await this.enter(found.name, found.stats);
      }
    }
    const folder = await this.ownHere();
    return { folder, name: '.', stats: await folder.find('.'), rest: [] };
  }

  /** Closes the folders that were opened on the way. */
  async leave(except?: Folder): Promise<void> {
    for (const folder of this.way) if (folder !== except) await folder.close();
  }

  private get here(): Folder {
    return this.way.at(-1) ?? this.root;
  }

  private async ownHere(): Promise<Folder> {
    if (this.way.length === 0) this.way.push(await this.root.openFolder('.'));
    return this.here;
  }

  private async find(name: string): Promise<Pick<Place, 'name' | 'stats'>> {
    const stats = await this.here.find(name);
    const spelled = stats ? undefined : await this.findEquivalent(name);
    if (spelled === undefined) return { name, stats };
    return { name: spelled, stats: await this.here.find(spelled) };
  }

  /** Undefined if there is none, several, or possibly another one among entries not compared. */
  private async findEquivalent(name: string): Promise<string | undefined> {
    const left = MAX_COMPARED - this.compared;
    if (ASCII.test(name) || left <= 0) return undefined;
    const entries = await this.here.list(left + 1).catch(() => []); // it may be unreadable
    this.compared += entries.length;
    if (entries.length > left) return undefined;
    const wanted = normalizeText(name, 'NFC');
    const same = entries.filter((entry) => normalizeText(entry.name, 'NFC') === wanted);
    return same.length === 1 ? same[0]!.name : undefined;
  }

  /** Goes to the parent; only the target of a symbolic link can require this. */
  private async goUp(): Promise<void> {
    const folder = this.way.pop();
    if (!folder) throw this.leaves();
    await folder.close();
  }

  private async follow(name: string): Promise<void> {
    if (++this.links > MAX_LINKS)
      throw refused(this.options.path, 'it leads through too many links');
    const target = await this.here.readLink(name);
    if (target.startsWith('/')) this.todo.unshift(...(await this.fromRoot(target)));
    else this.todo.unshift(...namesIn(target));
  }

  private async fromRoot(target: string): Promise<string[]> {
    const inside = posix.relative(this.root.path, posix.normalize(target));
    const spelled = target === this.root.path || target.startsWith(`${this.root.path}/`);
    if (!spelled || inside.startsWith('..')) throw this.leaves();
    for (let folder = this.way.pop(); folder; folder = this.way.pop()) await folder.close();
    return namesIn(target.slice(this.root.path.length));
  }

  private async enter(name: string, stats: Stats | undefined): Promise<void> {
    if (!stats && !this.options.make) throw missing(this.options.path);
    if (!stats) await this.here.makeFolder(name);
    else if (!stats.isDirectory())
      throw unsuitable(this.options.path, `can't be there: "${name}" is not a folder`);
    this.way.push(await this.here.openFolder(name));
  }

  private leaves(): Error {
    return refused(this.options.path, 'a link on the way leads out of the workspace');
  }
}

function namesIn(target: string): string[] {
  return target.split('/').filter((name) => name !== '' && name !== '.');
}

/** Converts a system error to a message that contains no path of the host. */
export function toFault(error: unknown, path: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ELOOP':
    case 'ENOTDIR':
      return refused(path, 'something on the way was swapped while it was opened');
    case 'ENOENT':
      return missing(path);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return unsuitable(path, 'may not be touched: the server has no right to');
    case 'ENAMETOOLONG':
      return refused(path, 'it is too long');
    case 'ENXIO':
    case 'ENODEV':
      return unsuitable(path, 'is a pipe, a socket or a device, not a file');
    case 'ENOSPC':
    case 'EDQUOT':
      return unsuitable(path, "can't be written: the disk is full");
    default:
      return error;
  }
}
