export const CHAT = 'demo';

/** Messages of the person, with decisions and answers for where none is at a terminal. */
export interface Step {
  readonly text: string;
  readonly decision?: {
    readonly approved: boolean;
    readonly reason?: string;
    readonly modified_input?: Record<string, unknown>;
  };
  readonly answer?: string;
  /** The connection is cut after so many fragments of text. */
  readonly cutAfter?: number;
}

/** Asks before anything is calculated. */
export const RULE = {
  scope: 'session',
  scope_id: CHAT,
  priority: 0,
  decision: 'ask',
  matcher: { type: 'tool', pattern: 'calculator' },
  description: 'ask before anything is calculated',
} as const;

export const BEFORE_RULE: readonly Step[] = [
  { text: 'Hello! Who are you, and what can you do?' },
  { text: 'What is 12 * 9 + 3, and what time is it in Asia/Tokyo?' },
];

export const AFTER_RULE: readonly Step[] = [
  {
    text: 'What is 6 * 7?',
    decision: { approved: true, modified_input: { expression: '6 * 7 * 10' } },
  },
  { text: 'What is 2 ^ 10?', decision: { approved: false, reason: 'You know that one.' } },
  { text: 'Ask me which color I like: red, green or blue?', answer: 'blue' },
  { text: 'Write a long answer about rivers, about 150 words.', cutAfter: 40 },
];
