import { findHiddenPlaces, isIn } from './hidden-places.js';
import type { HiddenPlace } from './hidden-places.js';
import { Sandbox } from './sandbox.js';
import { MAX_PROCESSES, withLimits } from './with-limits.js';

export interface BubblewrapOptions {
  /** Whether commands reach the network. */
  readonly network: boolean;
  /** Absolute paths that no command may see, beside those of everybody: the server's data, other chats' folders. */
  readonly hidden: readonly string[];
  /** Whether this bubblewrap can forbid user namespaces in the sandbox; it is as safe without, and has less of the kernel to attack. */
  readonly disablesUserns: boolean;
}

/** Confines commands with namespaces: own processes, no network unless allowed, and of the host's files only a view that can't be changed. */
export class Bubblewrap extends Sandbox {
  readonly kind = 'bubblewrap';
  readonly description: string;
  readonly wrappers = 2;

  constructor(private readonly options: BubblewrapOptions) {
    super();
    const network = options.network ? 'with network' : 'no network';
    this.description = `bubblewrap: only the workspace is writable, ${network}`;
  }

  async confine(command: readonly string[], workspace: string): Promise<string[]> {
    const hidden = await findHiddenPlaces(this.options.hidden, workspace);
    return [
      'bwrap',
      ...this.namespaces(),
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...KERNEL],
      ...this.files(hidden, workspace),
      ...['--chdir', workspace, '--'],
      ...withLimits(command, MAX_PROCESSES), // set inside, where nothing else counts
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

  /** Outer folders first: what is mounted later hides what was there before. */
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

/** The kernel's settings are root's to change, also when root has no other rights. */
const KERNEL = ['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => [
  '--ro-bind-try',
  path,
  path,
]);

/** Where names of hosts are looked up through, on many a system. */
const RESOLVER = '/run/systemd/resolve';

function hide({ path, isFolder }: HiddenPlace): string[] {
  return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

/** A place for temporary files stays one. */
function isClosed({ path, isFolder }: HiddenPlace): boolean {
  return isFolder && path !== '/tmp' && path !== '/var/tmp';
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
