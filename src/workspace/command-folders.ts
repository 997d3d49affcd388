import { chmod, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The home folder of commands, which stays empty, and a folder for caches. Programs read their
 * configuration from the home folder, and some run what it names; so an agent must not write there.
 */
export class CommandFolders {
  private making: Promise<string> | undefined;

  /** The home folder, for now: if it is not empty any more, another one takes its place. */
  async openHome(): Promise<string> {
    const making = (this.making ??= this.make());
    const base = await making;
    if (await isEmpty(homeIn(base))) return homeIn(base);
    if (this.making === making) {
      this.making = undefined;
      await remove(base);
    }
    return this.openHome();
  }

  private make(): Promise<string> {
    return makeFolders().catch((error: unknown) => {
      this.making = undefined;
      throw error;
    });
  }

  async remove(): Promise<void> {
    const base = await this.making;
    this.making = undefined;
    if (base !== undefined) await remove(base);
  }
}

/** The variables by which commands find their home folder and their caches. */
export function variablesOf(home: string): Readonly<Record<string, string>> {
  const caches = join(home, '../caches');
  return {
    HOME: home,
    XDG_CACHE_HOME: caches,
    npm_config_cache: join(caches, 'npm'),
    GOPATH: join(caches, 'go'),
    CARGO_HOME: join(caches, 'cargo'),
  };
}

async function makeFolders(): Promise<string> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'parley-commands-')));
  await mkdir(join(base, 'caches'));
  await mkdir(homeIn(base));
  await chmod(homeIn(base), 0o555);
  return base;
}

function homeIn(base: string): string {
  return join(base, 'home');
}

async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch {
    return false; // programs that tidy up remove temporary folders
  }
}

/** A command that still writes there may keep it from being removed; it is only temporary. */
async function remove(base: string): Promise<void> {
  await chmod(homeIn(base), 0o755).catch(() => {});
  await rm(base, { recursive: true, force: true }).catch(() => {});
}
