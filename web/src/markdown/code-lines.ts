import type { Highlighted } from './code-colours';

export type CodeLine = readonly Highlighted[];

/** Lines of code, without their ends; what spans several is in each of them. */
export function linesOf(nodes: readonly Highlighted[]): readonly CodeLine[] {
  const lines: Highlighted[][] = [[]];
  for (const node of nodes) {
    const [first, ...more] = split(node);
    if (first !== undefined) lines.at(-1)!.push(first);
    for (const part of more) lines.push([part]);
  }
  return lines;
}

function split(node: Highlighted): readonly Highlighted[] {
  if (typeof node === 'string') return node.split('\n');
  return linesOf(node.children).map((children) => ({ ...node, children }));
}

/** True if they are drawn alike. */
export function areAlike(a: readonly CodeLine[], b: readonly CodeLine[]): boolean {
  return a.length === b.length && a.every((line, index) => isSame(line, b[index]!));
}

function isSame(a: CodeLine, b: CodeLine): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((node, index) => {
      const other = b[index]!;
      if (typeof node === 'string' || typeof other === 'string') return node === other;
      return node.className === other.className && isSame(node.children, other.children);
    })
  );
}
