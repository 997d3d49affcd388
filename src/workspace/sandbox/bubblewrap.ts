import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { Sandbox } from './sandbox.js';
import { MAX_PROCESSES, withLimits } from './with-limits.js';

export interface BubblewrapOptions {
  /** True if commands have access to the network. */
  readonly network: boolean;
  /**
   * Absolute paths that are hidden from all commands, in addition to the default ones: the server's
   * data, other chats' folders.
   */
  readonly hidden: readonly string[];
  /**
   * True if this bubblewrap can disable user namespaces in the sandbox. The sandbox is safe without
   * it, too, but exposes more of the kernel to attacks.
   */
  readonly disablesUserns: boolean;
}

/**
 * Confines commands with namespaces: own processes, no network unless allowed, and a read-only view
 * of the host's files.
 */
export class Bubblewrap extends Sandbox {
  readonly kind = 'bubblewrap';
  readonly description: string;
  readonly wrappers = 2;

  constructor(private readonly options: BubblewrapOptions) {
    super();
    const network = options.network ? 'with network' : 'no network';
    this.description = `bubblewrap: only the workspace is writable, ${network}`;
  }

  async confine(command: readonly string[], workspace: string, home?: string): Promise<string[]> {
    const hidden = await findHiddenPlaces(this.options.hidden, workspace);
    return [
      'bwrap',
      ...this.namespaces(),
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...KERNEL],
      ...this.files(hidden, workspace),
      ...(home === undefined ? [] : ['--ro-bind', home, home]),
      ...['--chdir', workspace, '--'],
      ...withLimits(command, MAX_PROCESSES), // set inside, where no other process counts
    ];
  }

  private namespaces(): string[] {
    const { network, disablesUserns } = this.options;
    return [
      ...['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session'],
      ...['--cap-drop', 'ALL'],
      ...(network ? ['--share-net'] : []),
      ...(disablesUserns ? ['--disable-userns'] : []),
    ];
  }

  /** Outer folders first: a later mount hides the earlier ones below it. */
  private files(hidden: readonly HiddenPlace[], workspace: string): string[] {
    const [inside, outside] = partition(
      hidden,
      ({ path }) => path !== workspace && isIn(path, workspace),
    );
    return [
      ...outside.flatMap(hide),
      ...(this.options.network ? ['--ro-bind-try', RESOLVER, RESOLVER] : []),
      ...['--bind', workspace, workspace],
      ...inside.flatMap(hide),
      ...hidden
        .filter(isClosed)
        .flatMap(({ path }) => (path === workspace ? [] : ['--remount-ro', path])),
    ];
  }
}

/** Kernel settings are mounted read-only: root can change them even without any other privilege. */
const KERNEL = ['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => [
  '--ro-bind-try',
  path,
  path,
]);

/** Folder through which host names are resolved on many systems. */
const RESOLVER = '/run/systemd/resolve';

function hide({ path, isFolder }: HiddenPlace): string[] {
  return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** True if the place must not be writable; folders for temporary files stay writable. */
function isClosed({ path, isFolder }: HiddenPlace): boolean {
  return isFolder && path !== '/tmp' && path !== '/var/tmp';
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

/** A place that is empty for a sandboxed command. */
interface HiddenPlace {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** Folders with sockets of other programs and with shared temporary files. */
const SHARED = ['/run', '/tmp', '/var/tmp'];

/** Credentials in the home folder. */
const KEYS = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.config/gh'],
  ...['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.bash_history'],
];

/**
 * The places to hide now from a command that works in `workspace`, outer folders first. A place
 * inside a hidden one is left out, unless the workspace, which stays visible, lies between them.
 */
async function findHiddenPlaces(own: readonly string[], workspace: string): Promise<HiddenPlace[]> {
  const home = homedir();
  const wanted = [...own, ...SHARED, ...KEYS.map((name) => join(home, name))];
  const found = (await Promise.all(wanted.map(look))).filter((place) => place !== undefined);
  const sorted = found.toSorted((a, b) => a.path.length - b.path.length);
  return sorted.filter(({ path }, at) => {
    const outer = sorted.slice(0, at).findLast((place) => isIn(path, place.path));
    const isShown = isIn(path, workspace) && outer && !isIn(outer.path, workspace);
    return path !== sep && (!outer || isShown);
  });
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

async function look(path: string): Promise<HiddenPlace | undefined> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    if (stats.isCharacterDevice()) return undefined; // such as /dev/null; the sandbox has its own
    return { path: real, isFolder: stats.isDirectory() };
  } catch {
    return undefined; // nothing there to hide or read
  }
}
