import { relative, resolve, sep } from 'node:path';
import type { ConfigFault } from './config-error.js';
import type { Variables } from './schema.js';

/** What the server keeps in `DATA_DIR`, by the first name of its path there. */
const OWN_FOLDERS = ['db', 'chats', 'spill', 'python-snapshot'];

type Folders = Pick<Variables, 'DATA_DIR' | 'AGENTS_DIR' | 'WORKSPACE_DIR'>;

/** Tools get to what is in the workspace, and must get neither to the server's data nor to what says what its agents may do. */
export function findOverlaps({ DATA_DIR, AGENTS_DIR, WORKSPACE_DIR }: Folders): ConfigFault[] {
  const shown = JSON.stringify(WORKSPACE_DIR);
  const problems: string[] = [];
  if (holds(WORKSPACE_DIR, DATA_DIR))
    problems.push(`${shown} may not be DATA_DIR, nor hold it: put it beside or inside of it`);
  const [own = ''] = holds(DATA_DIR, WORKSPACE_DIR) ? pathIn(DATA_DIR, WORKSPACE_DIR) : [];
  if (OWN_FOLDERS.includes(own))
    problems.push(`${shown} is where the server keeps its own data; take another name in DATA_DIR`);
  if (holds(WORKSPACE_DIR, AGENTS_DIR) || holds(AGENTS_DIR, WORKSPACE_DIR))
    problems.push(`${shown} and AGENTS_DIR may not be one inside of the other`);
  return problems.map((problem) => ({ variable: 'WORKSPACE_DIR', problem }));
}

/** Whether it is the folder, or somewhere in it. */
function holds(folder: string, path: string): boolean {
  return pathIn(folder, path)[0] !== '..';
}

/** The names on the way from one to the other. */
function pathIn(folder: string, path: string): string[] {
  return relative(resolve(folder), resolve(path)).split(sep);
}
