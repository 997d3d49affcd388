import { createSecretKey, randomBytes } from 'node:crypto';
import { DataKey, sealedLength } from './data-key.js';
import { dataKeyOf, isSealed, SEAL } from './sealed-text.js';

const PLACE = ['int_1', 7, 'body'];
const key = newKey('chat-1');

function newKey(id: string): DataKey {
  return new DataKey(id, createSecretKey(randomBytes(32)));
}

describe(DataKey.name, () => {
  it('opens what it sealed, whatever the text', () => {
    for (const text of ['', 'x', 'é🙂\u0000\ud83d\ude00', '"\\\n', 'a'.repeat(100_000)]) {
      const sealed = key.seal(text, PLACE);
      expect(key.open(sealed, PLACE)).toBe(text);
      expect(sealedLength(sealed)).toBe(Buffer.byteLength(text));
    }
  });

  it('says that a text is sealed and with which key, and nothing of the text', () => {
    const sealed = newKey('tenant:acme').seal('Berlin', PLACE);
    expect([isSealed(sealed), dataKeyOf(sealed)]).toEqual([true, 'tenant:acme']);
    expect(sealed).not.toContain('Berlin');
    expect([isSealed('Berlin'), isSealed(undefined), isSealed({})]).toEqual([false, false, false]);
  });

  it('never seals a text to the same bytes twice', () => {
    expect(key.seal('x', PLACE)).not.toBe(key.seal('x', PLACE));
  });

  it.each([
    ['another interaction', ['int_2', 7, 'body']],
    ['another record', ['int_1', 8, 'body']],
    ['another field', ['int_1', 7, 'hidden']],
    ['a part of the place', ['int_1', 7]],
  ])('does not open a text that was moved to %s', (_, place) => {
    expect(() => key.open(key.seal('x', PLACE), place)).toThrow(
      expect.objectContaining({ code: 'decryption_failed' }),
    );
  });

  it('does not open a text of another key, also if the id is changed', () => {
    const other = newKey('chat-2');
    const sealed = other.seal('x', PLACE);
    expect(() => key.open(sealed, PLACE)).toThrow("can't be decrypted");
    const claimed = sealed.replace('chat-2', 'chat-1');
    expect(() => key.open(claimed, PLACE)).toThrow("can't be decrypted");
  });

  it('does not open a text in which any bit was flipped, or that was cut', () => {
    const sealed = key.seal('Berlin', PLACE);
    const start = SEAL.length + key.id.length + 1;
    const bytes = Buffer.from(sealed.slice(start), 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const changed = sealed.slice(0, start) + flipped.toString('base64');
      expect(() => key.open(changed, PLACE)).toThrow("can't be decrypted");
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = sealed.slice(0, start) + bytes.toString('base64', 0, length);
      expect(() => key.open(cut, PLACE)).toThrow("can't be decrypted");
    }
  });
});
