import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Names that a shell may take for code, or a program for options. */
const FILES = [
  ...['a', 'b.ts', 'canary', '.env', 'e.sh', 'package.json', 'post-checkout', 'config'],
  ...['secrets/key', 'src/x.ts', '.git/config', 'ev/config'],
  ...['-exec', '--output=pwned', '-x', ';', '$(pwned)', 'a b'],
];
const FOLDERS = ['secrets', 'src', 'out', '.git', '.git/hooks', 'ev'];
const LONG_AGO = new Date('2001-01-01T00:00:00Z');
const BEFORE = new Date('2002-01-01T00:00:00Z');

/** What a script left behind, as paths relative to the workspace. */
export interface Traces {
  /** Files that are new, gone or different. Those beside the workspace begin with `../`. */
  readonly changed: readonly string[];
  /** Files that were read. */
  readonly read: readonly string[];
}

/** A folder for one script at a time. Files that were read are told by their time of access. */
export class ScratchWorkspace {
  readonly path: string;
  private before = new Map<string, string>();

  constructor(private readonly outer: string) {
    this.path = join(outer, 'workspace');
    this.make();
  }

  /** What happened since the last call; then everything is as it was. */
  takeTraces(): Traces {
    const after = this.look();
    const paths = new Set([...this.before.keys(), ...after.keys()]);
    const changed = [...paths].filter((path) => this.before.get(path) !== after.get(path));
    const read = FILES.filter((file) => after.has(file) && this.wasRead(file));
    if (changed.length > 0) this.make();
    else for (const file of read) this.forget(file);
    return { changed, read };
  }

  private make(): void {
    rmSync(this.outer, { recursive: true, force: true });
    for (const folder of [this.outer, this.path]) makeFolder(folder);
    for (const folder of FOLDERS) makeFolder(join(this.path, folder));
    for (const file of FILES) {
      writeFileSync(join(this.path, file), 'pwned\n');
      chmodSync(join(this.path, file), 0o777);
      this.forget(file);
    }
    this.before = this.look();
  }

  private forget(file: string): void {
    utimesSync(join(this.path, file), LONG_AGO, BEFORE);
  }

  private wasRead(file: string): boolean {
    return lstatSync(join(this.path, file)).atimeMs !== LONG_AGO.getTime();
  }

  private look(): Map<string, string> {
    const found = new Map<string, string>();
    for (const name of readdirSync(this.outer))
      if (name !== 'workspace') found.set(`../${name}`, 'new');
    this.lookInto('', found);
    return found;
  }

  private lookInto(folder: string, found: Map<string, string>): void {
    for (const entry of readdirSync(join(this.path, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const { mode, size, mtimeMs, ino } = lstatSync(join(this.path, path));
      const isFolder = entry.isDirectory();
      found.set(path, isFolder ? `${mode}` : `${mode} ${size} ${mtimeMs} ${ino}`);
      if (isFolder) this.lookInto(path, found);
    }
  }
}

/** Why the file system of a folder does not show that a file was read, or undefined if it does. */
export function whyReadsAreUnseen(folder: string): string | undefined {
  const workspace = new ScratchWorkspace(join(folder, 'probe'));
  readFileSync(join(workspace.path, 'canary'));
  const { read } = workspace.takeTraces();
  rmSync(join(folder, 'probe'), { recursive: true });
  return read.includes('canary') ? undefined : `${folder} keeps no times of access (noatime)`;
}

/** Writable for whichever user runs the scripts. */
function makeFolder(path: string): void {
  mkdirSync(path);
  chmodSync(path, 0o777);
}
