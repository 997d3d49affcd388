import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { DataKey } from '../../../encryption/data-key.js';
import { SEAL } from '../../../encryption/sealed-text.js';
import { openJson, openText } from './sealed-fields.js';
import { openMessages } from './sealed-interaction.js';

const PLACE = ['chat', 'title'];
const failure = expect.objectContaining({ code: 'decryption_failed' });

describe('A sealed text of which the beginning was changed', () => {
  const ids = [
    ['a chat', randomUUID()],
    ['a tenant', 'tenant:acme'],
  ] as const;
  const bits = Array.from({ length: SEAL.length * 7 }, (_, bit) => bit);

  it.each(ids)('is an error, never text, with the key of %s', (_, id) => {
    const key = new DataKey(id, createSecretKey(randomBytes(32)));
    const keys = new Map([[id, key]]);
    const sealed = key.seal('', PLACE);
    for (const bit of bits) {
      const at = Math.floor(bit / 7);
      const other = String.fromCharCode(sealed.charCodeAt(at) ^ (1 << (bit % 7)));
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => openText(keys, changed, PLACE)).toThrow(failure);
      expect(() => openJson(keys, { type: 'x', enc: changed }, PLACE)).toThrow(failure);
      const message = { role: 'assistant', content: null, enc: changed, of: 'int_1' } as const;
      expect(() => openMessages(keys, [message])).toThrow(failure);
    }
    for (const name of ['dnc', 'e.c', 'enb']) {
      expect(() => openJson(keys, { type: 'x', [name]: sealed }, PLACE)).toThrow(failure);
      const message = { role: 'assistant', content: sealed, [name]: sealed, of: 'int_1' } as const;
      expect(() => openMessages(keys, [message])).toThrow(failure);
    }
    expect(openText(keys, sealed, PLACE)).toBe('');
  });

  it('is no text of people that begins a little like one', () => {
    for (const text of [
      '',
      'Xenc1:',
      '\u0001enc2:x',
      `Enc1: ${randomUUID()}: Hello`,
      'x'.repeat(99),
    ])
      expect(openText(new Map(), text, PLACE)).toBe(text);
    for (const value of [{ enc: 'Xenc1:' }, { content: `${SEAL}x` }, { end: 'Xenc1:' }])
      expect(openJson(new Map(), value, PLACE)).toEqual(value);
  });
});
