import { prefersJson } from './prefers-json.js';

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
