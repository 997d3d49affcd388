/** Whether a glob may match something in a folder: one that begins with the names of folders matches nothing in others. */
export function literalFolders(pattern: string, at: string): (path: string) => boolean {
  const names = pattern.split('/').slice(0, -1);
  const magic = names.findIndex((name) => /[*?[\]{}\\,]/.test(name));
  const literal = (magic === -1 ? names : names.slice(0, magic)).filter((name) => name !== '.');
  const wanted = [at, ...literal].filter((name) => name !== '').join('/');
  return (path) => wanted === '' || isOnTheWay(path, wanted) || isOnTheWay(wanted, path);
}

function isOnTheWay(path: string, to: string): boolean {
  return to === path || to.startsWith(`${path}/`);
}
