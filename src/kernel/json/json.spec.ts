import { listOf, measureJson } from './json.js';

const measure = (text: string, levels = 10) => measureJson(Buffer.from(text), levels);

describe(measureJson.name, () => {
  it('counts objects and arrays inside each other, and not beside each other', () => {
    expect(measure('{"a":[{}],"b":[[],[]]}').depth).toBe(3);
    expect(measure('"flat"').depth).toBe(0);
  });

  it('looks into no text, however it is written', () => {
    const text = JSON.stringify({ '[[': '{{{[ \\', '"[': '\\"[[[,,', 'ü["\\': '日[[' });
    expect(measure(text)).toEqual({ depth: 1, values: 4, fields: 3 });
    expect(measure(text.replace('}', ',"a":[]}')).depth).toBe(2);
    expect(measure(`[${text}]`).depth).toBe(2);
  });

  it('counts values', () => {
    expect(measure('[{},{},{}]').values).toBeGreaterThanOrEqual(4);
    expect(measure(`[${'1,'.repeat(999)}1]`).values).toBeGreaterThanOrEqual(1000);
    expect(measure(JSON.stringify(',,,[[[')).values).toBe(1);
  });

  it('counts the fields of the largest object', () => {
    expect(measure('{"a":[1,2,3,4,5],"b":{"c":1,"d":2,"e":"}{,"}}').fields).toBe(3);
    expect(measure('[1,2,3]').fields).toBe(0);
  });

  it('goes no deeper than it has to', () => {
    expect(measure('['.repeat(100), 2).depth).toBe(3);
  });

  it('answers for what is no JSON, too', () => {
    expect(measure(']]]]"[[[[[[').depth).toBe(0);
    expect(measure('[[[').depth).toBe(3);
  });
});

describe(listOf.name, () => {
  it.each([
    [
      [1, 'a'],
      [1, 'a'],
    ],
    [undefined, []],
    [null, []],
    ['text', []],
    [{ length: 1, 0: 'a' }, []],
  ])('%j is %j', (value, list) => {
    expect(listOf(value)).toEqual(list);
  });
});
