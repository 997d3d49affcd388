import { isTooLong } from './error-translator.js';

describe(isTooLong.name, () => {
  it.each([
    ["This model's maximum context length is 128000 tokens.", 'context_length_exceeded', 400],
    ['prompt is too long: 210000 tokens > 200000 maximum', 'invalid_request_error', 400],
    ['the request exceeds the available context size', undefined, 400],
    ['Request exceeds the maximum size', 'request_too_large', 413],
    ['Too many input tokens', undefined, 422],
  ])('knows that %j means the length', (detail, code, status) => {
    expect(isTooLong({ status, code, detail }, status)).toBe(true);
  });

  it('takes no other refusal for one', () => {
    const fault = { status: 400, code: 'invalid_request_error', detail: 'unknown field "context"' };
    expect(isTooLong(fault, 400)).toBe(false);
  });
});
