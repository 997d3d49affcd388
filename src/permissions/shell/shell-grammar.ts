import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import treeSitter from '@vscode/tree-sitter-wasm';
import type { Parser, TreeCursor } from '@vscode/tree-sitter-wasm';
import { TooLong } from './reading-budget.js';
import type { ReadingBudget } from './reading-budget.js';

/** A node of a parsed script. Offsets are UTF-16 code units. */
export interface SyntaxNode {
  readonly type: string;
  /** False for keywords and operators, whose type is their text. */
  readonly named: boolean;
  /** The role of the node in its parent, such as `destination`. */
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
}

const MAX_DEPTH = 100;
const MAX_NODES = 8_000;

/** The parser for Bash. */
export class ShellGrammar {
  private static loading: Promise<ShellGrammar> | undefined;

  private constructor(private readonly parser: Parser) {}

  /** Loads the grammar at the first call and caches it. */
  static load(): Promise<ShellGrammar> {
    return (this.loading ??= this.open());
  }

  /**
   * Undefined if the text is not a script, or nests too deeply.
   * @throws TooLong
   */
  parse(text: string, budget: ReadingBudget): SyntaxNode | undefined {
    budget.spend(text.length);
    const tree = this.parser.parse(text, null, { progressCallback: () => budget.isSpent });
    if (!tree) {
      this.parser.reset();
      throw new TooLong();
    }
    try {
      return tree.rootNode.hasError ? undefined : new TreeReader(tree.walk(), budget).read();
    } finally {
      tree.delete();
    }
  }

  private static async open(): Promise<ShellGrammar> {
    const wasm = createRequire(import.meta.url).resolve(
      '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
    );
    await treeSitter.Parser.init();
    const parser = new treeSitter.Parser();
    parser.setLanguage(await treeSitter.Language.load(await readFile(wasm)));
    return new ShellGrammar(parser);
  }
}

/** Copies a tree out of the parser's memory. */
class TreeReader {
  private nodes = 0;

  constructor(
    private readonly cursor: TreeCursor,
    private readonly budget: ReadingBudget,
  ) {}

  read(): SyntaxNode | undefined {
    try {
      const root = this.node(0);
      return this.nodes > MAX_NODES ? undefined : root;
    } finally {
      this.cursor.delete();
    }
  }

  private node(depth: number): SyntaxNode | undefined {
    const { cursor } = this;
    if (this.nodes % 256 === 0 && this.budget.isSpent) throw new TooLong();
    if (++this.nodes > MAX_NODES || depth > MAX_DEPTH || cursor.nodeIsMissing) return undefined;
    const { nodeType: type, nodeIsNamed: named, startIndex: start, endIndex: end } = cursor;
    const field = cursor.currentFieldName;
    const children = this.children(depth);
    return children && { type, named, field, start, end, children };
  }

  private children(depth: number): SyntaxNode[] | undefined {
    const children: SyntaxNode[] = [];
    if (!this.cursor.gotoFirstChild()) return children;
    do {
      const child = this.node(depth + 1);
      if (!child) return undefined;
      children.push(child);
    } while (this.cursor.gotoNextSibling());
    this.cursor.gotoParent();
    return children;
  }
}
