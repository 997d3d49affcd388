import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../kernel/disk/sync-folder.js';
import { ifMissing } from '../../kernel/disk/missing-path.js';

const SUFFIX = '.jsonl';
const TEMPORARY = '.tmp';
/** The end of the name of a file that was set aside. */
const NUMBERED = /\.\d+\.jsonl$/;

/**
 * `DATA_DIR/spill`: one file for each interaction that has unsaved records, and `aside/` for those
 * that can't be saved any more. They hold conversations, so only the owner may read them.
 */
export class SpillFolder {
  private readonly path: string;
  private readonly aside: string;

  constructor(
    dataDir: string,
    /** Limit of all files together, in bytes. */
    private readonly max_bytes: number,
  ) {
    this.path = join(dataDir, 'spill');
    this.aside = join(this.path, 'aside');
  }

  /** Interactions that have a file. Other files are ignored. */
  async list(): Promise<string[]> {
    const names = (await namesIn(this.path)).filter(isSpill);
    const stats = await Promise.all(names.map((name) => stat(join(this.path, name))));
    return names.filter((_, at) => stats[at]!.isFile()).flatMap(interactionOf);
  }

  /** Files that were set aside, with their interactions. Other files are ignored. */
  async listAside(): Promise<{ readonly id: string; readonly path: string }[]> {
    const names = (await namesIn(this.aside)).filter(isSpill);
    return names.flatMap((name) =>
      interactionOf(name.replace(NUMBERED, SUFFIX)).map((id) => ({
        id,
        path: join(this.aside, name),
      })),
    );
  }

  async removeAside(path: string): Promise<void> {
    await rm(path, { force: true });
    await syncFolder(this.aside);
  }

  /** Removes files that a killed process has left half-written; it has the folder for itself. */
  async removeTemporary(): Promise<void> {
    const names = (await namesIn(this.path)).filter((name) => name.endsWith(SUFFIX + TEMPORARY));
    await Promise.all(names.map((name) => rm(join(this.path, name), { force: true })));
  }

  /** Undefined if there is no file. */
  async read(interactionId: string): Promise<string | undefined> {
    return readFile(this.fileOf(interactionId), 'utf8').catch(ifMissing(undefined));
  }

  /** Adds lines to an interaction's file, durably: all of them, or none if this rejects. */
  async add(interactionId: string, lines: string): Promise<void> {
    await this.requireRoom(Buffer.byteLength(lines));
    await mkdir(this.aside, { recursive: true, mode: 0o700 });
    const path = this.fileOf(interactionId);
    const text = ((await this.read(interactionId)) ?? '') + lines;
    try {
      await writeSynced(path + TEMPORARY, text);
      await rename(path + TEMPORARY, path);
    } catch (error) {
      await rm(path + TEMPORARY, { force: true }).catch(() => {});
      throw error;
    }
    await syncFolder(this.path);
  }

  async remove(interactionId: string): Promise<void> {
    await rm(this.fileOf(interactionId), { force: true });
    await syncFolder(this.path);
  }

  /** Moves an interaction's file to `aside/`; gives its new path. */
  async setAside(interactionId: string): Promise<string> {
    const taken = new Set(await namesIn(this.aside));
    const name = encodeURIComponent(interactionId);
    let number = 1;
    while (taken.has(`${name}.${number}${SUFFIX}`)) number++;
    const path = join(this.aside, `${name}.${number}${SUFFIX}`);
    await rename(this.fileOf(interactionId), path);
    await syncFolder(this.aside);
    return path;
  }

  private async requireRoom(bytes: number): Promise<void> {
    const used = (await sizeOf(this.path)) + (await sizeOf(this.aside));
    if (used + bytes > this.max_bytes)
      throw new Error(`${this.path} holds ${used} bytes, and may hold ${this.max_bytes}`);
  }

  private fileOf(interactionId: string): string {
    return join(this.path, encodeURIComponent(interactionId) + SUFFIX);
  }
}

/** Empty when the name is not that of an interaction's file. */
function interactionOf(name: string): string[] {
  try {
    return [decodeURIComponent(name.slice(0, -SUFFIX.length))];
  } catch {
    return [];
  }
}

function isSpill(name: string): boolean {
  return name.endsWith(SUFFIX);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(ifMissing([]));
}

/** Size of its spill files, in bytes. */
async function sizeOf(folder: string): Promise<number> {
  const names = (await namesIn(folder)).filter(isSpill);
  const sizes = await Promise.all(
    names.map((name) => stat(join(folder, name)).catch(() => undefined)),
  );
  return sizes.reduce((sum, file) => sum + (file?.size ?? 0), 0);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
