const PATH_NAME =
  /(?:^|_)(?:path|paths|file|files|filename|filenames|filepath|dir|dirs|directory|directories|folder|folders|cwd|root|source|src|destination|dest|target|uri)$/;
const MAX_PATHS = 1000;

/** Collects the file paths of an input, by field name, at any depth. */
export function findPathInputs(input: Readonly<Record<string, unknown>>): string[] {
  const paths: string[] = [];
  collect(input, false, paths);
  return paths;
}

function collect(value: unknown, isPath: boolean, paths: string[]): void {
  if (paths.length >= MAX_PATHS) return;
  if (typeof value === 'string') {
    if (isPath) paths.push(value);
  } else if (Array.isArray(value)) for (const item of value) collect(item, isPath, paths);
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) collect(item, isPathName(name), paths);
}

function isPathName(name: string): boolean {
  return PATH_NAME.test(name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toLowerCase());
}
