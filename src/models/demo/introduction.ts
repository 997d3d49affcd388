interface Suggestion {
  readonly tools: readonly string[];
  readonly sentence: string;
}

const SUGGESTIONS: readonly Suggestion[] = [
  { tools: ['calculator'], sentence: 'what is 6*7' },
  { tools: ['current_time'], sentence: 'what time is it in Tokyo' },
  { tools: ['calculator', 'current_time'], sentence: 'what is 12 * 9 + 3, and what time is it' },
  { tools: ['ask_human'], sentence: 'ask me which colour I like: red, green or blue' },
  { tools: ['bash'], sentence: 'run `ls -la`' },
  { tools: [], sentence: 'write a long answer' },
  { tools: [], sentence: 'write 2000 words' },
  { tools: [], sentence: 'slow' },
  { tools: [], sentence: 'fail' },
];

/** Who speaks here, and what to say to it. */
export function introduction(offered: ReadonlySet<string>): string {
  const possible = SUGGESTIONS.filter(({ tools }) => tools.every((tool) => offered.has(tool)));
  return [
    'Hello! I am a script, not a language model: I understand a few sentences and make up nothing.',
    'To talk to a real model, set OPENAI_API_KEY, or OPENAI_BASE_URL for one of your own. Until then, try one of these:',
    possible.map(({ sentence }) => `- ${sentence}`).join('\n'),
  ].join('\n\n');
}
