import type { HLJSApi } from 'highlight.js';
import { span } from './span.js';
import type { Line } from './span.js';
import { SGR } from './theme.js';

const LANGUAGES = [
  ...(['bash', 'c', 'css', 'diff', 'go', 'java', 'javascript', 'json', 'python', 'rust'] as const),
  ...(['sql', 'typescript', 'xml', 'yaml'] as const),
];
const LOAD = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  python: () => import('highlight.js/lib/languages/python'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
} as const;

/** UTF-16 code units that are coloured at once: some grammars take quadratic time. */
const MAX_SLICE = 2_000;
/** A longer line, for which they take longest, stays plain. */
const MAX_LINE = 500;

const STYLES: Readonly<Record<string, string>> = {
  keyword: SGR.magenta,
  built_in: SGR.cyan,
  type: SGR.cyan,
  literal: SGR.yellow,
  number: SGR.yellow,
  string: SGR.green,
  regexp: SGR.green,
  comment: SGR.dim,
  title: SGR.blue,
  attr: SGR.blue,
  attribute: SGR.blue,
  name: SGR.blue,
  tag: SGR.blue,
  variable: SGR.yellow,
  meta: SGR.dim,
  addition: SGR.green,
  deletion: SGR.red,
};

let loaded: HLJSApi | undefined;
let loading: Promise<void> | undefined;

/** Loads what colours code, unless it is there. Until then code is drawn plain. */
export function loadHighlighter(): Promise<void> {
  return (loading ??= load());
}

async function load(): Promise<void> {
  const { default: api } = await import('highlight.js/lib/core');
  const languages = await Promise.all(LANGUAGES.map((name) => LOAD[name]()));
  for (const [index, { default: language }] of languages.entries())
    api.registerLanguage(LANGUAGES[index]!, language);
  loaded = api;
}

interface Node {
  readonly scope?: string;
  readonly children: readonly (Node | string)[];
}

/** The lines of code in colours, where its language is known and loaded. */
export function highlight(code: string, language: string): Line[] {
  const api = loaded;
  if (!api?.getLanguage(language)) return plain(code);
  return slicesOf(code).flatMap((slice) => {
    const isLong = slice.length > MAX_LINE && !slice.includes('\n');
    return isLong ? plain(slice) : colour(api, slice, language);
  });
}

/** Lines in groups; a long one is alone. */
function slicesOf(code: string): string[] {
  const slices: string[] = [];
  let room = 0;
  for (const line of code.split('\n')) {
    const isLong = line.length > MAX_LINE;
    if (isLong || line.length >= room) slices.push(line);
    else slices.push(`${slices.pop()}\n${line}`);
    room = isLong ? 0 : MAX_SLICE - slices.at(-1)!.length;
  }
  return slices;
}

function colour(api: HLJSApi, code: string, language: string): Line[] {
  const { _emitter: emitter } = api.highlight(code, { language, ignoreIllegals: true });
  const root = (emitter as unknown as { readonly rootNode: Node }).rootNode;
  const lines: Line[number][][] = [[]];
  for (const { text, sgr } of spansOf(root, ''))
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)!.push(span(part, sgr));
    }
  return lines;
}

function plain(code: string): Line[] {
  return code.split('\n').map((line) => [span(line)]);
}

function* spansOf({ children, scope }: Node, outer: string): Generator<Line[number]> {
  const sgr = (scope && STYLES[scope.split('.')[0]!]) || outer;
  for (const child of children)
    if (typeof child === 'string') yield span(child, sgr);
    else yield* spansOf(child, sgr);
}
