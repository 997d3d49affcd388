import { atOnce } from '../../kernel/async/sliced.js';
import { exactJson } from '../../kernel/json/exact-json.js';
import { cleanIncoming, parseIncoming } from './incoming-message.js';

const answer = (result: string): string => `{"jsonrpc":"2.0","id":1,"result":${result}}`;

/** A result with nulls, and what it means. */
const NULLS: readonly (readonly [string, string, string])[] = [
  ['nothing', 'null', '{}'],
  ['a result', '{"content":null,"isError":null,"_meta":null}', '{}'],
  [
    'a text',
    '{"content":[{"type":"text","text":null,"annotations":null,"_meta":{"a":null}}]}',
    '{"content":[{"type":"text","_meta":{}}]}',
  ],
  [
    'a resource',
    '{"content":[{"type":"resource","resource":{"uri":"a:b","text":null,"blob":"","mimeType":null}}]}',
    '{"content":[{"type":"resource","resource":{"uri":"a:b","blob":""}}]}',
  ],
  ['structured content', '{"structuredContent":{"a":null}}', '{"structuredContent":{"a":null}}'],
  ['no structured content', '{"content":[],"structuredContent":null}', '{"content":[]}'],
  ['the end of a list', '{"tools":[],"nextCursor":null}', '{"tools":[]}'],
  ['no tools', '{"tools":null,"nextCursor":null}', '{}'],
  [
    'a tool',
    '{"tools":[{"name":"a","title":null,"annotations":{"title":null},"outputSchema":null}]}',
    '{"tools":[{"name":"a","annotations":{}}]}',
  ],
  ['resources', '{"resources":[{"uri":"a:b","size":null}]}', '{"resources":[{"uri":"a:b"}]}'],
  ['prompts', '{"prompts":[{"name":"a","arguments":null}]}', '{"prompts":[{"name":"a"}]}'],
  [
    'a start',
    '{"protocolVersion":"2025-06-18","capabilities":null,"serverInfo":null,"instructions":null}',
    '{"capabilities":{},"protocolVersion":"2025-06-18","serverInfo":{"name":"","version":""}}',
  ],
  [
    'capabilities',
    '{"protocolVersion":"1","capabilities":{"tools":{"listChanged":null},"logging":null},"serverInfo":{"name":"a","version":null}}',
    '{"capabilities":{"tools":{}},"protocolVersion":"1","serverInfo":{"name":"a","version":""}}',
  ],
];

const DIGITS = '[1234567890123456789,1e400,-0,1.0,0.12345678901234567890]';

describe(parseIncoming.name, () => {
  it.each(NULLS)('takes null for absent in %s', (_, result, meant) => {
    expect(atOnce(parseIncoming(answer(result)))).toEqual(JSON.parse(answer(meant)));
    expect(JSON.parse(atOnce(cleanIncoming(answer(result))))).toEqual(JSON.parse(answer(meant)));
  });

  it.each([
    [
      'an error',
      '{"id":1,"error":{"code":-1,"message":null,"data":null}}',
      { code: -1, message: '' },
    ],
    [
      'a result beside an error',
      '{"id":1,"result":null,"error":{"code":-1}}',
      { code: -1, message: '' },
    ],
  ])('takes null for absent in %s', (_, message, error) => {
    expect(atOnce(parseIncoming(message))).toMatchObject({ id: 1, error });
  });

  it('leaves a notification without parameters', () => {
    const message = '{"method":"notifications/tools/list_changed","params":null}';
    expect(atOnce(parseIncoming(message))).toEqual({ method: 'notifications/tools/list_changed' });
  });

  it.each([
    ['structured content', `{"structuredContent":{"ids":${DIGITS}}}`],
    ['a list in structured content', `{"structuredContent":{"items":[[${DIGITS}]]}}`],
    ['a schema', `{"tools":[{"name":"a","inputSchema":{"enum":${DIGITS},"maximum":1e400}}]}`],
    ['the second schema', `{"tools":[{"name":"a"},{"name":"b","inputSchema":{"const":-0}}]}`],
  ])('keeps every digit of %s', (_, result) => {
    expect(exactJson(atOnce(parseIncoming(answer(result))))).toBe(answer(result));
    const sent = JSON.parse(atOnce(cleanIncoming(answer(result)))) as unknown;
    expect(exactJson(sent)).toBe(answer(result));
  });
});
