import { isTooLong } from './error-translator.js';

describe(isTooLong.name, () => {
  it.each([
    ["This model's maximum context length is 128000 tokens.", 'context_length_exceeded', 400],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'invalid_request_error', 400],
    ['the request exceeds the available context size', undefined, 400],
    ['Request exceeds the maximum size', 'request_too_large', 413],
    ['Too many input tokens', undefined, 422],
    ['max_tokens must be at least 1, got -1234.', undefined, 400],
    ['Prompt exceeds max length', '1261', 400],
    ['The input exceeds the maximum context length of the model', undefined, 400],
    ['input length and `max_tokens` exceed context limit: 187254 + 20000 > 204798', undefined, 400],
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed',
      undefined,
      400,
    ],
    [
      "This model's maximum prompt length is 131072 but the request contains 200000",
      undefined,
      400,
    ],
    ['Your request exceeded model token limit: 262144', undefined, 400],
    ['Range of input length should be [1, 98304]', undefined, 400],
    ['The prompt (9000) is longer than the maximum model length of 8192', undefined, 400],
    ['Please reduce the length of the messages or completion.', undefined, 400],
    ['Request too large: the total tokens limit is exceeded', undefined, 400],
    ['the request exceeds the available context size', undefined, 500],
  ])('knows that %j means the length', (detail, code, status) => {
    expect(isTooLong({ status, code, detail }, status)).toBe(true);
  });

  it.each([
    ['unknown field "context"', 400],
    ['max_tokens must be at least 1, got 0', 400],
    ['The description of the tool exceeds max length 1024', 400],
    ['max_tokens is too large: 32768. This model supports at most 16384', 400],
    ["Invalid 'tools': array too long. Expected an array with maximum length 128", 400],
    ['Request too large for gpt-4 on tokens per min (TPM): Limit 30000, Requested 40000', 429],
  ])('takes no other refusal for one: %s', (detail, status) => {
    expect(isTooLong({ status, code: 'invalid_request_error', detail }, status)).toBe(false);
  });
});
