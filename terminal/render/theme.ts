/** Styles by their meaning, as parameters of SGR. */
export const SGR = {
  dim: '2',
  bold: '1',
  italic: '3',
  underline: '4',
  strike: '9',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
  code: '36',
  user: '1;36',
  tool: '35',
  agent: '1;34',
  ask: '1;33',
} as const;

/** The signs of the terminal's own, each one cell wide. */
export const GLYPHS = {
  prompt: '›',
  tool: '●',
  result: '└',
  bar: '│',
  rule: '─',
  bullet: '•',
  good: '✓',
  bad: '✗',
  note: '↳',
  dot: '·',
  more: '…',
  open: '⟦',
  close: '⟧',
} as const;
export const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

const ASCII: Readonly<Record<keyof typeof GLYPHS, string>> = {
  prompt: '>',
  tool: '*',
  result: '`',
  bar: '|',
  rule: '-',
  bullet: '*',
  good: '+',
  bad: 'x',
  note: '>',
  dot: '-',
  more: '~',
  open: '[',
  close: ']',
};
const ASCII_SPINNER = ['|', '/', '-', '\\'] as const;
const ASCII_OF: ReadonlyMap<string, string> = new Map([
  ...Object.entries(GLYPHS).map(
    ([name, sign]) => [sign, ASCII[name as keyof typeof GLYPHS]] as const,
  ),
  ...SPINNER.map((sign, index) => [sign, ASCII_SPINNER[index % ASCII_SPINNER.length]!] as const),
]);

/** For a terminal without UTF-8: as wide as before. */
export function withAsciiSigns(text: string): string {
  return Array.from(text, (sign) => ASCII_OF.get(sign) ?? sign).join('');
}

/** How things are drawn: the width at this moment. */
export interface View {
  readonly width: number;
}
