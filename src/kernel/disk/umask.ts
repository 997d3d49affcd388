let users: number | undefined;

/** From now on, only the owner can read the files that this process makes. */
export function keepFilesPrivate(): void {
  users ??= process.umask(0o077);
}

/** The umask that the process was started with, for what is made in workspaces. */
export function userUmask(): number {
  return users ?? process.umask();
}
