import type { CharRun, KeyPattern } from './key-pattern.js';

const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LETTERS = UPPER + UPPER.toLowerCase();
const WORD = `${LETTERS + DIGITS}_`;
const BASE64 = `${LETTERS + DIGITS}+/=`;
/** The characters of line breaks, plain and escaped in JSON. */
const LINE_BREAK = '\r\n\\rn';

function run(chars: string, min: number, max = Infinity): CharRun {
  return { chars: new Set(chars.split('').map((char) => char.charCodeAt(0))), min, max };
}

/** Keys of a head and at least `min` of these characters. */
function keys(
  name: string,
  heads: readonly string[],
  { chars, min }: { chars: string; min: number },
): KeyPattern[] {
  const body = [run(chars, min)];
  const rest = [run(chars, 0)];
  return heads.map((head) => ({ name, head, body, rest }));
}

function awsSecret(head: string): KeyPattern {
  const body = [run(` \t=:"'\\`, 1, 8), run(BASE64, 40)];
  return { name: 'AWS secret key', head, body, rest: [run(BASE64, 0)] };
}

function privateKey(kind: string): KeyPattern {
  return {
    name: 'private key',
    head: `-----BEGIN ${kind}-----`,
    body: [run(`${LINE_BREAK} `, 1, 8), run(BASE64, 24)],
    rest: [
      run(`${BASE64 + LINE_BREAK} \t`, 0),
      run('-', 0, 5),
      run(`${UPPER} `, 0, 40),
      run('-', 0, 5),
    ],
  };
}

const ANY = { chars: `${WORD}-`, min: 20 };

/**
 * Formats that are recognizable as keys by themselves. A prefix that may be an ordinary word
 * requires a long body.
 */
export const KEY_PATTERNS: readonly KeyPattern[] = [
  ...keys('Anthropic key', ['sk-ant-'], ANY),
  ...keys('OpenAI key', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-or-v1-'], ANY),
  ...keys('OpenAI key', ['sk-'], { chars: LETTERS + DIGITS, min: 20 }),
  ...keys('AWS key', ['AKIA', 'ASIA'], { chars: UPPER + DIGITS, min: 16 }),
  ...['aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY', 'secretAccessKey', 'SecretAccessKey'].map(
    awsSecret,
  ),
  ...keys('GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], {
    chars: LETTERS + DIGITS,
    min: 36,
  }),
  ...keys('GitHub token', ['github_pat_'], { chars: WORD, min: 40 }),
  ...keys('GitLab token', ['glpat-'], ANY),
  ...keys('Slack token', ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-', 'xapp-'], {
    chars: `${LETTERS + DIGITS}-`,
    min: 20,
  }),
  ...keys('Slack webhook', ['https://hooks.slack.com/services/'], {
    chars: `${LETTERS + DIGITS}/`,
    min: 30,
  }),
  ...keys('Google key', ['AIza'], { chars: `${WORD}-`, min: 35 }),
  ...keys('Google key', ['GOCSPX-', 'ya29.'], ANY),
  ...keys('Stripe key', ['sk_live_', 'rk_live_', 'sk_test_', 'whsec_'], {
    chars: LETTERS + DIGITS,
    min: 20,
  }),
  ...keys('Parley key', ['parley_'], { chars: 'abcdef_' + DIGITS, min: 80 }),
  ...keys('npm token', ['npm_'], { chars: LETTERS + DIGITS, min: 36 }),
  ...keys('Hugging Face token', ['hf_'], { chars: LETTERS + DIGITS, min: 30 }),
  {
    name: 'JSON web token',
    head: 'eyJ',
    body: [
      run(`${WORD}-`, 8, 400),
      ...['.', 'e', 'y', 'J'].map((char) => run(char, 1, 1)),
      run(`${WORD}-`, 8),
    ],
    rest: [run(`${WORD}-`, 0), run('.', 0, 1), run(`${WORD}-`, 0)],
  },
  ...['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED '].map((kind) =>
    privateKey(`${kind}PRIVATE KEY`),
  ),
  privateKey('PGP PRIVATE KEY BLOCK'),
];
