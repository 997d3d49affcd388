import { readdirSync, readlinkSync } from 'node:fs';
import { Folder } from '../../src/workspace/folder.js';
import { FileTree } from '../../src/workspace/tree/file-tree.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { WorkspaceFolder } from '../support/tools/workspace-folder.js';

describe(FileTree.name, () => {
  let folder: WorkspaceFolder;
  let root: Folder;

  beforeEach(async () => {
    folder = new WorkspaceFolder();
    root = await Folder.openRoot(folder.at(''));
  });
  afterEach(async () => {
    await root.close();
    folder.remove();
  });

  const tree = (signal = new AbortController().signal) =>
    new FileTree(new Workspace(root), { signal, shows: () => true });

  /** Paths of open folders, without the root. */
  const openFolders = (): string[] =>
    readdirSync('/proc/self/fd')
      .map(pathOf)
      .filter((path) => path.startsWith(folder.at('')) && path !== root.path);

  const names = Array.from({ length: 40 }, (_, i) => `${10 + i}`);

  it('has small files of several folders in one group, in the order of their paths', async () => {
    folder.write(Object.fromEntries(names.map((name) => [`d${name}/deep/f`, ''])));
    const groups: string[][] = [];
    for await (const group of tree().below('')) groups.push(group.map(({ path }) => path));
    expect(groups.map(({ length }) => length)).toEqual([16, 16, 8]);
    expect(groups.flat()).toEqual(names.map((name) => `d${name}/deep/f`));
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux.each(['is over', 'is left', 'is aborted', 'is left at once'])(
    'leaves no folder open when it %s',
    async (how) => {
      folder.write(Object.fromEntries(names.map((name) => [`d${name}/deep/f`, ''])));
      folder.write(Object.fromEntries(names.map((name) => [`empty/d${name}/.gitignore`, '*'])));
      const stop = new AbortController();
      const groups = tree(stop.signal).below('');
      for (let taken = 1; ; taken++) {
        if ((await groups.next()).done) break;
        expect(openFolders().length).toBeGreaterThan(0);
        if (how === 'is left at once' || (how === 'is left' && taken === 2))
          await groups.return(undefined);
        if (how === 'is aborted' && taken === 2) stop.abort();
      }
      expect(openFolders()).toEqual([]);
    },
  );
});

/** '' if it is closed meanwhile. */
function pathOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
