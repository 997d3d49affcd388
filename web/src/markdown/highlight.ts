import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { CodeColours } from './code-colours';
import type { Highlighted } from './code-colours';

type Node = ReturnType<ReturnType<typeof createLowlight>['highlight']>['children'][number];

const lowlight = createLowlight({
  // Without Markdown, whose grammar takes more than quadratic time.
  ...{ bash, css, diff, go, java, json, python, rust, sql, typescript, xml, yaml },
});
lowlight.registerAlias({
  bash: ['sh', 'shell', 'zsh', 'console'],
  typescript: ['ts', 'tsx', 'js', 'jsx', 'javascript', 'mjs'],
  python: ['py'],
  rust: ['rs'],
  xml: ['html', 'svg'],
  yaml: ['yml'],
});

export const colours = new CodeColours((code, language) =>
  lowlight.highlight(language, code).children.map(simplify),
);

export function knows(language: string): boolean {
  return lowlight.registered(language);
}

function simplify(node: Node): Highlighted {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return '';
  const names = node.properties['className'];
  const className = Array.isArray(names) ? names.join(' ') : '';
  return { className, children: node.children.map((child) => simplify(child as Node)) };
}
