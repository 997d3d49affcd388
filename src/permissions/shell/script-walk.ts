import type { ReadInner } from './command.js';
import { findRisk } from './find-risk.js';
import { readHeredoc } from './read-heredoc.js';
import { readCommand } from './read-command.js';
import { readWord } from './read-word.js';
import type { OtherPart, ScriptPart, Word } from './script.js';
import type { SyntaxNode } from './shell-grammar.js';
import { Unreadable } from './script.js';

/** The effect of redirections on their command. */
interface Redirections {
  /** Words after a redirection that belong to the command. */
  readonly words: Word[];
  /** Texts on standard input, as far as the script contains them. */
  readonly inputs: string[];
}

const MAX_COMMANDS = 200;
const SUBSTITUTIONS = new Set(['command_substitution', 'process_substitution']);

/** Walks a parsed script and collects the parts that run. Unknown nodes are refused. */
export class ScriptWalk {
  readonly parts: ScriptPart[] = [];
  /** The words of each simple command, as written. */
  readonly commands: (readonly Word[])[] = [];

  constructor(
    private readonly source: string,
    private readonly readInner: ReadInner,
  ) {}

  /** @throws Unreadable */
  read(root: SyntaxNode): void {
    const risk = findRisk(root, this.source);
    if (risk)
      this.parts.push({ kind: 'other', source: risk.source, opaque: true, doubt: risk.why });
    this.visit(root);
  }

  private visit(node: SyntaxNode): void {
    switch (node.type) {
      case 'program':
      case 'list':
      case 'pipeline':
      case 'subshell':
      case 'if_statement':
      case 'elif_clause':
      case 'else_clause':
      case 'while_statement':
      case 'do_group':
      case 'negated_command':
      case 'command_substitution':
      case 'process_substitution':
        return this.visitChildren(node);
      case 'command':
      case 'declaration_command':
      case 'unset_command':
        return this.visitCommand(node, { words: [], inputs: [] });
      case 'redirected_statement':
        return this.visitRedirected(node);
      case 'variable_assignment':
      case 'variable_assignments':
        return this.visitAssignment(node);
      case 'compound_statement':
      case 'test_command':
        return this.visitTest(node);
      case 'for_statement':
      case 'case_statement':
      case 'case_item':
      case 'c_style_for_statement':
        return this.visitBranches(node);
      case 'function_definition':
        return this.visitFunction(node);
      case 'comment':
        return;
      case 'file_redirect':
      case 'herestring_redirect':
      case 'heredoc_redirect':
        this.visitRedirect(node, { words: [], inputs: [] }, 'alone');
        return this.visitInside(node);
      default:
        throw new Unreadable(`has a construct that is not known (${node.type})`);
    }
  }

  private visitChildren(node: SyntaxNode): void {
    for (const child of node.children) if (child.named) this.visit(child);
  }

  /**
   * Visits a command. `declare`, `export` and `unset` are commands, too: their keyword is their
   * name.
   */
  private visitCommand(node: SyntaxNode, redirections: Redirections): void {
    const words: Word[] = [];
    for (const child of node.children) {
      if (isRedirect(child)) this.visitRedirect(child, redirections, 'command');
      else if (isPrefix(node, child, words)) this.parts.push(assignment(this.text(child)));
      else if (child.type !== '(' && child.type !== ')' && !this.isDescriptor(child))
        words.push(this.word(child));
      this.visitInside(child);
    }
    words.push(...redirections.words);
    const { inputs } = redirections;
    if (this.commands.push(words) > MAX_COMMANDS)
      throw new Unreadable(`runs more than ${MAX_COMMANDS} commands`);
    if (words.length > 0)
      this.parts.push(...readCommand({ source: this.text(node), words, inputs }, this.readInner));
  }

  private word(node: SyntaxNode): Word {
    if (!node.named) return { text: node.type, dynamic: false, splits: false };
    if (node.type === 'subshell') throw new Unreadable('has a construct that is not known');
    return readWord(node, this.source);
  }

  private visitRedirected(node: SyntaxNode): void {
    const redirections: Redirections = { words: [], inputs: [] };
    const [body] = node.children.filter((child) => !isRedirect(child));
    const isCommand = body?.type === 'command';
    for (const child of node.children.filter(isRedirect)) {
      this.visitRedirect(child, redirections, isCommand ? 'command' : 'alone');
      this.visitInside(child);
    }
    if (isCommand) this.visitCommand(body, redirections);
    else if (body) this.visit(body);
  }

  private visitRedirect(node: SyntaxNode, to: Redirections, at: 'command' | 'alone'): void {
    this.addWords(
      node.children.filter((child) => this.isOption(child)),
      to,
      at,
    );
    if (node.type === 'heredoc_redirect') return this.visitHeredoc(node, to, at);
    if (node.type === 'herestring_redirect') {
      const word = readWord(node.children.at(-1)!, this.source);
      if (!word.dynamic) to.inputs.push(word.text);
      return;
    }
    const { parts, extra } = readRedirect(node, this.source);
    this.parts.push(...parts);
    this.addWords(extra, to, at);
  }

  /** Visits a here-document. The grammar puts the rest of its first line inside the node. */
  private visitHeredoc(node: SyntaxNode, to: Redirections, at: 'command' | 'alone'): void {
    const { body, literal } = readHeredoc(node, this.source);
    to.inputs.push(body);
    for (const child of node.children) {
      if (child.field === 'argument') this.addWords([child], to, at);
      if (child.field === 'argument' || child.field === 'redirect') this.visitInside(child);
      if (child.field === 'redirect') this.visitRedirect(child, to, at);
      else if (child.field === 'right' || child.type === 'pipeline') this.visit(child);
      else if (child.type === 'heredoc_body' && !literal) this.visitInside(child);
    }
  }

  /** The grammar takes the option in `head -5>file` for a descriptor. */
  private isOption({ type, start }: SyntaxNode): boolean {
    return type === 'file_descriptor' && this.source[start] === '-';
  }

  /** The grammar does not know the descriptor of standard input: `git 0<file push`. */
  private isDescriptor({ start, end }: SyntaxNode): boolean {
    return this.source.slice(start, end) === '0' && /[<>]/.test(this.source[end] ?? '');
  }

  private addWords(nodes: readonly SyntaxNode[], to: Redirections, at: 'command' | 'alone'): void {
    if (nodes.length > 0 && at === 'alone')
      throw new Unreadable('has words behind a redirection that belong to nothing');
    for (const node of nodes.filter((it) => !this.isDescriptor(it)))
      to.words.push(readWord(node, this.source));
  }

  private visitAssignment(node: SyntaxNode): void {
    this.parts.push(assignment(this.text(node)));
    this.visitInside(node);
  }

  /**
   * Visits `[ … ]`, `[[ … ]]`, `(( … ))`, and `{ …; }`, which the grammar distinguishes from `((`
   * only by its first word.
   */
  private visitTest(node: SyntaxNode): void {
    const isGroup = node.type === 'compound_statement' && node.children[0]?.type === '{';
    if (isGroup) return this.visitChildren(node);
    this.parts.push(other(this.text(node), 'it tests something'));
    this.visitInside(node);
  }

  private visitBranches(node: SyntaxNode): void {
    const counter = node.children.find(({ type }) => type === 'variable_name');
    if (counter) this.parts.push(assignment(`${this.text(counter)}=`));
    for (const child of node.children) {
      if (!child.named || child.type === 'comment') continue;
      if (isStatement(child)) this.visit(child);
      else this.visitInside(child);
    }
  }

  private visitFunction(node: SyntaxNode): void {
    for (const child of node.children) {
      if (child.field === 'name' || !child.named) continue;
      this.visit(child);
    }
  }

  /**
   * Visits the substitutions in a word, at any depth. Those of a here-document are visited by
   * `visitHeredoc`.
   */
  private visitInside(node: SyntaxNode): void {
    if (node.type === 'heredoc_redirect') return;
    if (SUBSTITUTIONS.has(node.type)) return this.visit(node);
    for (const child of node.children) this.visitInside(child);
  }

  private text(node: SyntaxNode): string {
    return this.source.slice(node.start, node.end);
  }
}

/** Variables that neither shells nor programs read, or that only change what programs print. */
const HARMLESS_VARIABLE =
  /^(?:(?!npm_)[a-z_][a-z0-9_]*|LANG|LANGUAGE|LC_\w+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CI|COLUMNS|LINES|TERM|NODE_ENV)\+?=/;

function assignment(text: string): OtherPart {
  return { ...other(text, 'it sets a variable'), opaque: !HARMLESS_VARIABLE.test(text) };
}

function other(source: string, doubt: string): OtherPart {
  return { kind: 'other', source, opaque: false, doubt };
}

function isRedirect({ type }: SyntaxNode): boolean {
  return type.endsWith('_redirect');
}

/** True for an assignment such as `A=1` before the command's name, false after it. */
function isPrefix(command: SyntaxNode, child: SyntaxNode, words: readonly Word[]): boolean {
  return command.type === 'command' && child.type === 'variable_assignment' && words.length === 0;
}

function isStatement({ type }: SyntaxNode): boolean {
  return (
    type.endsWith('_statement') ||
    type.endsWith('_command') ||
    type.startsWith('variable_assignment') ||
    ['command', 'list', 'pipeline', 'subshell', 'do_group', 'case_item'].includes(type) ||
    type === 'function_definition'
  );
}

interface Redirect {
  readonly parts: readonly ScriptPart[];
  /** Words after the file, which belong to the command. */
  readonly extra: readonly SyntaxNode[];
}

/** Operators that name no file: a word after them belongs to the command. */
const CLOSES = /^[<>]&-$/;
const DESCRIPTOR = /^(?:\d+-?|-)$/;
/** A word that means the same to every shell. */
const PLAIN_PATH = /^(?:[\w%+,\-./:=@^]|'[^']*'|"[^"$`\\]*")+$/;
const NOWHERE = /^\/dev\/(?:null|stdin|stdout|stderr|fd\/[012])$/;
const NETWORK = /^\/dev\/(?:tcp|udp)\//;

/** Reads redirections such as `> file`, `2>&1`, `< file`. */
function readRedirect(node: SyntaxNode, source: string): Redirect {
  const words = node.children.filter(({ field }) => field === 'destination');
  const [destination, ...extra] = words;
  if (!destination) return { parts: [], extra };
  const operator = node.children.find(({ named }) => !named)?.type ?? '';
  if (CLOSES.test(operator)) return { parts: [], extra: checkApart(words, source) };
  const path = readWord(destination, source);
  const text = source.slice(node.start, destination.end);
  const plain = PLAIN_PATH.test(source.slice(destination.start, destination.end));
  return { parts: readFile(operator, { path, plain }, text), extra };
}

/** `>&-r` is not the same to every shell. */
function checkApart(words: readonly SyntaxNode[], source: string): readonly SyntaxNode[] {
  if (source[words[0]!.start - 1] === '-')
    throw new Unreadable('has a redirection whose end can’t be told');
  return words;
}

function readFile(
  operator: string,
  { path, plain }: { readonly path: Word; readonly plain: boolean },
  source: string,
): ScriptPart[] {
  const duplicates = operator === '>&' || operator === '<&';
  if (!path.dynamic && duplicates && DESCRIPTOR.test(path.text)) return [];
  if (!path.dynamic && NOWHERE.test(path.text)) return [];
  if (NETWORK.test(path.text))
    return [{ ...other(source, 'it opens a network connection'), opaque: true }];
  const access = operator === '<' ? 'read' : 'write';
  return [{ kind: 'file', source, path, plain, access }];
}
