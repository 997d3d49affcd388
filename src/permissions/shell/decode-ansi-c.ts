const ESCAPE = /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3})|c(.)|(.))/gis;

const NAMED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
};

/** What `$'…'` says. */
export function decodeAnsiC(content: string): string {
  return content.replace(ESCAPE, (_, x?: string, u?: string, U?: string, ...rest: unknown[]) => {
    const [octal, control, other] = rest as (string | undefined)[];
    const hex = x ?? u ?? U;
    if (hex !== undefined) return toCharacter(parseInt(hex, 16));
    if (octal !== undefined) return toCharacter(parseInt(octal, 8) & 0xff);
    if (control !== undefined) return toCharacter(control.charCodeAt(0) & 0x1f);
    return NAMED[other ?? ''] ?? other ?? '';
  });
}

function toCharacter(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
}
