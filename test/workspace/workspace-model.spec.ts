import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import fc from 'fast-check';
import { Folder } from '../../src/workspace/folder.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { WorkspaceFault } from '../../src/workspace/workspace-fault.js';
import { runs } from '../support/thoroughness.js';

/** What is at a name: a file, a folder, or a link with its target. */
type Node = { kind: 'file'; text: string } | { kind: 'folder' } | { kind: 'link'; target: string };
/** By path from the base, whose folder `work` is the workspace. */
type World = Map<string, Node>;
interface Made {
  readonly at: string;
  readonly node: Node;
}

const NAMES = ['a', 'b', 'c'];
const MAX_LINKS = 40;
const BASE = '<base>';

const name = fc.constantFrom(...NAMES);
const pieces = fc.array(fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom('..', '.', '')), {
  minLength: 1,
  maxLength: 5,
});
const target = fc.oneof(
  pieces.map((parts) => parts.join('/')),
  pieces.map((parts) => [BASE, 'work', ...parts].join('/')),
  fc.constantFrom('..', '../out', `${BASE}/out`, `${BASE}/work`, '/', '../work', '../out/a'),
);
const node: fc.Arbitrary<Node> = fc.oneof(
  fc.string({ maxLength: 3 }).map((text): Node => ({ kind: 'file', text })),
  fc.constant<Node>({ kind: 'folder' }),
  target.filter((text) => text !== '').map((text): Node => ({ kind: 'link', target: text })),
);
const made: fc.Arbitrary<Made> = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 3 }), node)
  .map(([names, what]) => ({ at: names.join('/'), node: what }));

describe.each([
  ['by descriptors', true],
  ['by paths', false],
])(`${Workspace.name}, walked %s`, (_, byDescriptor) => {
  it('reads what a model says is inside, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { maxLength: 10 }),
        fc.array(pieces, { minLength: 1, maxLength: 8 }),
        async (things, paths) => {
          const base = await realpath(await mkdtemp(join(tmpdir(), 'parley-model-')));
          try {
            const world = await build(base, things);
            const workspace = new Workspace(
              await Folder.openRoot(join(base, 'work'), byDescriptor),
            );
            for (const parts of paths)
              expect([parts, await read(workspace, parts.join('/'))]).toEqual([
                parts,
                modelled(world, parts),
              ]);
            await workspace.close();
          } finally {
            await rm(base, { recursive: true, force: true });
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });
});

/**
 * Makes what fits: the first thing at a path stays, and what has no folder to be in is left out.
 */
async function build(base: string, things: readonly Made[]): Promise<World> {
  const world: World = new Map([
    ['work', { kind: 'folder' }],
    ['out', { kind: 'folder' }],
    ['out/a', { kind: 'file', text: 'secret' }],
  ]);
  await mkdir(join(base, 'work'));
  await mkdir(join(base, 'out'));
  await writeFile(join(base, 'out/a'), 'secret');
  for (const { at, node: what } of things) {
    const path = `work/${at}`;
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (world.has(path) || world.get(parent)?.kind !== 'folder') continue;
    world.set(path, what);
    if (what.kind === 'folder') await mkdir(join(base, path));
    else if (what.kind === 'file') await writeFile(join(base, path), what.text);
    else await symlink(what.target.replace(BASE, base), join(base, path));
  }
  return world;
}

async function read(workspace: Workspace, path: string): Promise<string> {
  try {
    const { handle } = await workspace.openFile(path);
    const text = await handle.readFile('utf8');
    await handle.close();
    return `text ${text}`;
  } catch (error) {
    if (error instanceof WorkspaceFault) return error.code;
    throw error;
  }
}

/** What the contract says, on names alone. */
function modelled(world: World, parts: readonly string[]): string {
  if (parts.includes('..') || (parts[0] === '' && parts.length > 1)) return 'refused';
  const todo = [...parts];
  const way = ['work'];
  for (let links = 0; todo.length > 0;) {
    const part = todo.shift()!;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (way.length === 1) return 'refused';
      way.pop();
      continue;
    }
    const found = world.get([...way, part].join('/'));
    if (!found) return 'missing';
    if (found.kind === 'link') {
      if (++links > MAX_LINKS) return 'refused';
      const inside = insideTarget(found.target);
      if (inside === undefined) return 'refused';
      if (inside.fromRoot) way.length = 1;
      todo.unshift(...inside.parts);
    } else if (found.kind === 'folder') way.push(part);
    else
      return todo.some((rest) => rest !== '' && rest !== '.') ? 'unsuitable' : `text ${found.text}`;
  }
  return 'unsuitable'; // a folder
}

/** undefined: it says itself that it leads out. */
function insideTarget(text: string): { fromRoot: boolean; parts: string[] } | undefined {
  if (!text.startsWith('/') && !text.startsWith(BASE))
    return { fromRoot: false, parts: text.split('/') };
  if (text !== `${BASE}/work` && !text.startsWith(`${BASE}/work/`)) return undefined;
  const plain = posix.normalize(`${text}/`);
  if (!plain.startsWith(`${BASE}/work/`)) return undefined;
  return { fromRoot: true, parts: text.slice(`${BASE}/work`.length).split('/') };
}
