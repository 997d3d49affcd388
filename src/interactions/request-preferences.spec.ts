import { prefersJson, waitLimitOf } from './request-preferences.js';

const STREAM = false;
const JSON_ANSWER = true;

describe(prefersJson.name, () => {
  it.each([
    [undefined, STREAM],
    ['', STREAM],
    ['*/*', STREAM],
    ['text/*', STREAM],
    ['text/html', STREAM],
    ['text/event-stream', STREAM],
    ['text/event-stream, application/json', STREAM],
    ['application/json, text/event-stream', STREAM],
    ['Application/JSON;q=1.0,Text/Event-Stream', STREAM],
    ['application/json;q=0.5, text/event-stream;q=0.5', STREAM],
    ['application/json;q=0.5, text/event-stream;q=0.501', STREAM],
    ['application/json; charset=utf-8, text/event-stream; charset=utf-8', STREAM],
    ['application/json;q=0.9, */*', STREAM],
    ['application/json;q=0', STREAM],
    ['application/json;q=0, */*', STREAM],
    ['application/json, application/json;q=0.1, text/event-stream', STREAM],
    ['*/*;q=0', STREAM],
    ['text/event-stream;q=0, application/json;q=0', STREAM],
    ['application/json, text/*', JSON_ANSWER],
    ['application/json;q=0.8, text/event-stream;q=0.9, text/html', STREAM],
    ['application/json', JSON_ANSWER],
    ['application/json, application/problem+json', JSON_ANSWER],
    ['text/html, application/json', JSON_ANSWER],
    ['application/*', JSON_ANSWER],
    ['application/json; charset=utf-8', JSON_ANSWER],
    ['application/json, text/plain, */*', JSON_ANSWER],
    ['application/json, text/event-stream;q=0.9', JSON_ANSWER],
    ['text/event-stream; q = 0.9, application/json', JSON_ANSWER],
    ['text/event-stream;q=0, application/json;q=0.1', JSON_ANSWER],
    ['text/event-stream;q=0, */*', JSON_ANSWER],
    ['text/event-stream;q=0', JSON_ANSWER],
  ])('of %j answers %j', (accept, answer) => expect(prefersJson(accept)).toBe(answer));
});

describe(waitLimitOf.name, () => {
  it.each([
    [undefined, undefined, undefined],
    [undefined, 'respond-async', undefined],
    [undefined, 'await', undefined],
    [undefined, 'wait=soon', undefined],
    ['false', 'wait', undefined],
    ['true', undefined, 60_000],
    [undefined, 'wait', 60_000],
    [undefined, 'Wait', 60_000],
    [undefined, 'respond-async, wait=10', 10_000],
    [undefined, 'wait="10", return=minimal', 10_000],
    [undefined, 'wait=10; foo', 10_000],
    ['true', 'wait=10', 10_000],
    [undefined, 'wait=0', 0],
    [undefined, 'wait=3600', 60_000],
  ])('of ?wait=%s with Prefer: %s is %s ms', (wait, prefer, limit) =>
    expect(waitLimitOf(wait, prefer)).toBe(limit),
  );
});
