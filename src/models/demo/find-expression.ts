const TOKEN = /\d+(?:\.\d+)?|multiplied by|divided by|[a-z]+|\S/gi;
const WORDS: Readonly<Record<string, string>> = {
  plus: '+',
  minus: '-',
  times: '*',
  x: '*',
  '×': '*',
  'multiplied by': '*',
  '÷': '/',
  'divided by': '/',
};
const DATE = /\b\d{4}-\d{2}-\d{2}\b/g;

/** The longest piece of arithmetic in a text, `12 * 9 + 3`; undefined when there is none. */
export function findExpression(text: string): string | undefined {
  const tokens = text.replace(DATE, ' ; ').match(TOKEN) ?? [];
  const runs = runsOf(tokens.map((token) => WORDS[token.toLowerCase()] ?? token));
  const expressions = runs.map(balanced).filter(isExpression);
  const [longest] = expressions.sort((a, b) => b.length - a.length);
  return longest?.join(' ').replace(/\( | \)/g, (bracket) => bracket.trim());
}

/** Stretches of nothing but numbers, operators and brackets; two numbers in a row are two stretches. */
function runsOf(tokens: readonly string[]): string[][] {
  const runs: string[][] = [[]];
  for (const token of tokens) {
    const run = runs.at(-1)!;
    if (!isNumber(token) && !isOperator(token) && token !== '(' && token !== ')') runs.push([]);
    else if (isNumber(token) && isNumber(run.at(-1))) runs.push([token]);
    else run.push(token);
  }
  return runs;
}

/** Without what can't begin or end an expression, and without brackets that have no partner. */
function balanced(run: readonly string[]): string[] {
  let [start, end] = [0, run.length];
  while (start < end && !isNumber(run[start]) && run[start] !== '(') start++;
  while (end > start && !isNumber(run[end - 1]) && run[end - 1] !== ')') end--;
  const kept = run.slice(start, end);
  const open = kept.filter((token) => token === '(').length;
  const closed = kept.filter((token) => token === ')').length;
  if (open === closed) return kept;
  return kept.filter((token) => token !== '(' && token !== ')');
}

function isExpression(run: readonly string[]): boolean {
  return run.filter(isNumber).length > 1 && run.some(isOperator);
}

function isNumber(token: string | undefined): boolean {
  return token !== undefined && /^\d/.test(token);
}

function isOperator(token: string): boolean {
  return /^[-+*/^%]$/.test(token);
}
