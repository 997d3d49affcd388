import { statedLimit } from './stated-limit.js';

const GOOGLE = 'type.googleapis.com/google.rpc';
const gemini = (quotaId: string): object => ({
  error: {
    code: 429,
    message:
      'You exceeded your current quota. * Quota exceeded for metric: free_tier_requests, limit: 10\nPlease retry in 8.2s.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': `${GOOGLE}.QuotaFailure`, violations: [{ quotaId, quotaValue: '10' }] },
      { '@type': `${GOOGLE}.RetryInfo`, retryDelay: '8s' },
    ],
  },
});

describe(statedLimit.name, () => {
  it.each<[string, unknown, number | undefined]>([
    ['Gemini’s sentence and details', gemini('GenerateRequestsPerMinutePerProject'), 8_200],
    ['its details alone', [{ error: { details: [{ retryDelay: '34.07s' }] } }], 34_070],
    [
      'an error that a gateway quotes',
      { error: { message: JSON.stringify({ error: { details: [{ retryDelay: '8s' }] } }) } },
      8_000,
    ],
    [
      'Groq',
      'on tokens per minute (TPM): Limit 6000. Please try again in 7.66s. Need more?',
      7_660,
    ],
    ['minutes', 'Please try again in 1m2.5s.', 62_500],
    ['hours', 'Please try again in 7h12m0s.', 25_920_000],
    ['milliseconds', 'Please try again in 920ms. Visit', 920],
    ['Azure', { error: { message: 'Please retry after 9 seconds. Please go here' } }, 9_000],
    ['a word', 'Try again in 2 minutes', 120_000],
    ['days', 'try again in 1 day', 86_400_000],
    ['a member', { error: { message: 'Slow down', retry_after: 12 } }, 12_000],
    ['a member in seconds', { retry_after_seconds: 3 }, 3_000],
    ['the longest', 'retry after 9 seconds, or try again in 2m', 120_000],
    ['no time', 'Please try again later. Retry in a moment.', undefined],
    ['another number', 'Limit 30, used 30. You may retry: 3 attempts are left.', undefined],
    ['nothing', undefined, undefined],
  ])('reads the wait of %s', (_, body, wait) => {
    expect(statedLimit(body).wait_ms).toBe(wait);
  });

  it.each<[unknown, string | undefined]>([
    [
      gemini('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
      'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
    ],
    [gemini('GenerateRequestsPerMinutePerProject'), undefined],
    ['Rate limit exceeded: free-models-per-day. Add credits.', 'per-day'],
    ['you have used up your daily free allocation', 'daily'],
    ['on tokens per day (TPD): Limit 100000, Used 97050. Please try again in 20.5s.', undefined],
    ['Rate limit reached', undefined],
  ])('knows a quota of a day: %j', (body, daily) => {
    expect(statedLimit(body).daily).toBe(daily);
  });

  it('reads long bodies in no time', () => {
    const text = 'retry after '.repeat(100_000);
    expect(statedLimit(`${text}${'9'.repeat(1_000_000)}`)).toEqual({});
  });
});
