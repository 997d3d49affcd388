import fc from 'fast-check';
import { FRAGMENTS } from './fragments.js';

const names = fc.constantFrom(
  'ls',
  'cat',
  'echo',
  'git log',
  'git status',
  'npm test',
  'find .',
  'grep x',
  'sort',
);

/** Scripts that are right, as Bash's grammar has them. */
export const { script: grammatical } = fc.letrec<{
  script: string;
  statement: string;
  simple: string;
  word: string;
  piece: string;
  redirect: string;
}>((tie) => ({
  piece: fc.oneof(
    { depthSize: 'small' },
    {
      weight: 6,
      arbitrary: fc.constantFrom('a', 'b.ts', '-l', 'x', '.', 'src', '--', '-1', 'E', '=', '#'),
    },
    { weight: 2, arbitrary: fc.constantFrom(...FRAGMENTS.quotes) },
    { weight: 3, arbitrary: fc.constantFrom(...FRAGMENTS.expansions) },
    { weight: 2, arbitrary: fc.constantFrom(...FRAGMENTS.payloads) },
    { weight: 2, arbitrary: tie('piece').map((text) => `'${text.replaceAll("'", '')}'`) },
    { weight: 2, arbitrary: tie('piece').map((text) => `"${text}"`) },
    { weight: 1, arbitrary: tie('script').map((text) => `$(${text})`) },
    {
      weight: 1,
      arbitrary: tie('script').map((text) => `\`${text.replaceAll(/[\\`$]/g, String.raw`\$&`)}\``),
    },
    { weight: 1, arbitrary: tie('piece').map((text) => `\${x:-${text}}`) },
    { weight: 1, arbitrary: tie('script').map((text) => `<(${text})`) },
  ),
  word: fc.array(tie('piece'), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
  redirect: fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          '>',
          '<',
          '>>',
          '2>',
          '&>',
          '<>',
          '>|',
          '<<<',
          '>&',
          '<&',
          '{v}>',
          '{a[x]}>',
        ),
        tie('word'),
      )
      .map(([operator, word]) => operator + word),
    fc.constantFrom('>/dev/null', '2>&1', '2>/dev/null', '</dev/null', '>&2', '<a', '3>&1'),
  ),
  simple: fc
    .tuple(
      fc.constantFrom('', '', '', '', ...FRAGMENTS.wrappers, 'LANG=C ', 'x=1 '),
      names,
      fc.array(
        fc.oneof({ weight: 4, arbitrary: tie('word') }, { weight: 1, arbitrary: tie('redirect') }),
        { maxLength: 4 },
      ),
    )
    .map(([before, name, words]) => `${before}${[name, ...words].join(' ')}`),
  statement: fc.oneof(
    { depthSize: 'small' },
    { weight: 8, arbitrary: tie('simple') },
    { weight: 1, arbitrary: tie('script').map((text) => `(${text})`) },
    { weight: 1, arbitrary: tie('script').map((text) => `{ ${text}; }`) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('script'), tie('script')).map(([a, b]) => `if ${a}; then ${b}; fi`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('word'), tie('script'))
        .map(([a, b]) => `for x in ${a}; do ${b}; done`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('word'), tie('word'), tie('script'))
        .map(([a, b, c]) => `case ${a} in ${b}) ${c};; esac`),
    },
    { weight: 1, arbitrary: tie('script').map((text) => `while ${text}; do break; done`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(names, tie('script'))
        .map(([name, text]) => `${name}() { ${text}; }; ${name}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('word'), tie('word')).map(([a, b]) => `[ ${a} = ${b} ] && ls`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('word'), tie('word')).map(([a, b]) => `[[ ${a} == ${b} ]] && ls`),
    },
    { weight: 1, arbitrary: tie('word').map((a) => `((${a}))`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('simple'), fc.constantFrom('E', "'E'", '-E'), tie('word'))
        .map(([a, end, b]) => `${a} <<${end}\n${b}\nE\n`),
    },
    {
      weight: 1,
      arbitrary: tie('script').map((text) => `bash -c '${text.replaceAll("'", String.raw`'\''`)}'`),
    },
    {
      weight: 1,
      arbitrary: tie('script').map(
        (text) => `sh -c "${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`,
      ),
    },
  ),
  script: fc
    .array(
      fc.tuple(
        tie('statement'),
        fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ', ';', '|'),
      ),
      {
        minLength: 1,
        maxLength: 3,
        depthIdentifier: 'script',
      },
    )
    .map((list) =>
      list.map(([text, joint], at) => (at === list.length - 1 ? text : text + joint)).join(''),
    ),
}));
