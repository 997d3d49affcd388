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

export interface Glyphs {
  readonly prompt: string;
  readonly tool: string;
  readonly result: string;
  readonly bar: string;
  readonly rule: string;
  readonly bullet: string;
  readonly good: string;
  readonly bad: string;
  readonly note: string;
  readonly dot: string;
  readonly more: string;
  readonly spinner: readonly string[];
}

const UNICODE: Glyphs = {
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
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};
const ASCII: Glyphs = {
  prompt: '>',
  tool: '*',
  result: '`',
  bar: '|',
  rule: '-',
  bullet: '*',
  good: 'ok',
  bad: 'x',
  note: '->',
  dot: '-',
  more: '...',
  spinner: ['|', '/', '-', '\\'],
};

/** How things are drawn: the width at this moment, and the abilities of the terminal. */
export interface View {
  readonly width: number;
  readonly glyphs: Glyphs;
}

export function glyphsFor(isUnicode: boolean): Glyphs {
  return isUnicode ? UNICODE : ASCII;
}
