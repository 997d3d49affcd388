import { linkSync, readFileSync, symlinkSync } from 'node:fs';
import { ToolWorkspace } from '../../src/tools/core/tool-workspace.js';
import { WorkspaceFolder } from '../support/tools/workspace-folder.js';

describe(ToolWorkspace.name, () => {
  let folder: WorkspaceFolder;
  beforeEach(() => (folder = new WorkspaceFolder()));
  afterEach(() => folder.remove());

  function workspace(hidden = /^$/): ToolWorkspace {
    const { workspaces } = folder;
    const maySee = () => Promise.resolve((path: string) => !hidden.test(path));
    return new ToolWorkspace({ workspaces, chat_uid: 'uid', maySee });
  }

  const fault = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      ({ name, code }: { name: string; code: string }) => `${name} ${code}`,
    );

  it('reads, writes and lists what is in it', async () => {
    const own = workspace();
    await own.write('deep/a.txt', 'one');
    await own.write('deep/a.txt', Buffer.from('two'));
    expect((await own.read('deep/a.txt')).toString()).toBe('two');
    await own.write('b.txt', '');
    expect(await own.list()).toEqual(['b.txt', 'deep/']);
    const handle = await own.open('deep/a.txt');
    expect((await handle.readFile()).toString()).toBe('two');
    await handle.close();
    expect(await fault(own.read('none.txt'))).toBe('WorkspaceFault missing');
  });

  it('leads to nothing outside, over no path and no link', async () => {
    folder.write({ '../secret.txt': 'secret' });
    const outside = `${folder.base}/secret.txt`;
    symlinkSync(outside, folder.at('link.txt'));
    linkSync(outside, folder.at('hard.txt'));
    symlinkSync(folder.base, folder.at('up'));
    const own = workspace();
    for (const path of ['../secret.txt', outside, 'link.txt', 'hard.txt', 'up/secret.txt']) {
      expect(await fault(own.read(path))).toMatch(/WorkspaceFault (refused|unsuitable)/);
      expect(await fault(own.open(path))).toMatch(/WorkspaceFault (refused|unsuitable)/);
      expect(await fault(own.write(path, 'mine'))).toMatch(/WorkspaceFault (refused|unsuitable)/);
    }
    expect(await fault(own.list('up'))).toBe('WorkspaceFault refused');
    expect(readFileSync(outside, 'utf8')).toBe('secret');
  });

  it('writes nothing into the folder of Git, over no link either', async () => {
    folder.write({ '.git/config': '[core]' });
    symlinkSync('.git', folder.at('linked'));
    symlinkSync('.git/config', folder.at('settings'));
    const own = workspace();
    for (const path of ['.git/config', 'sub/.GIT/x', 'linked/hooks/post-checkout', 'settings'])
      expect(await fault(own.write(path, 'x'))).toBe('WorkspaceFault refused');
    await own.write('.github/x', 'x');
    expect(readFileSync(folder.at('.git/config'), 'utf8')).toBe('[core]');
  });

  it('hides what the rules keep from the tool, also behind a link', async () => {
    folder.write({ '.env': 'KEY', 'a.txt': 'a' });
    symlinkSync('.env', folder.at('link'));
    const own = workspace(/^\.env/);
    expect(await own.list()).toEqual(['a.txt', 'link']);
    for (const path of ['.env', 'link']) {
      expect(await fault(own.read(path))).toBe('WorkspaceFault refused');
      expect(await fault(own.write(path, 'x'))).toBe('WorkspaceFault refused');
    }
    expect(await fault(own.write('.env.new', 'x'))).toBe('WorkspaceFault refused');
    expect(readFileSync(folder.at('.env'), 'utf8')).toBe('KEY');
  });
});
