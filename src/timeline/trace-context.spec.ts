import { formatTraceparent, parseTraceparent, traceOf } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe(parseTraceparent.name, () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`cc-${TRACE}-${SPAN}-03-more`, true],
    [` 00-${TRACE}-${SPAN}-01 `, true],
  ])('reads %j', (header, sampled) => {
    expect(parseTraceparent(header)).toEqual({ trace_id: TRACE, parent_span_id: SPAN, sampled });
  });

  it.each([
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-`,
    `00-${TRACE}-${SPAN}-01-more`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
    `00-${TRACE}-${SPAN}-01\r\nx: y`,
  ])('takes %j for none', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

describe(traceOf.name, () => {
  it('is of the request that started the interaction, else of its own', () => {
    const traceparent = formatTraceparent(TRACE, SPAN);
    expect(traceOf({ id: 'int_1', settings: { traceparent } }).trace_id).toBe(TRACE);
    const own = traceOf({ id: 'int_1', settings: {} });
    expect(own).toEqual({ trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(traceOf({ id: 'int_2', settings: {} })).not.toEqual(own);
  });
});
