import { placeIn } from './branches.js';

describe(placeIn.name, () => {
  const known = (id: string, parent_id: string | null, message_id: string, superseded = false) => {
    const superseded_at = superseded ? '2026-01-15T10:00:00.000Z' : null;
    return { id, parent_id, superseded_at, metadata: { ai_sdk: { message_id } } };
  };
  const chat = [
    known('int_3', 'int_1', 'u3'),
    known('int_2', 'int_1', 'u2', true),
    known('int_1', null, 'u1'),
  ];
  const place = (message: string, history: string[], regenerated?: string) => {
    const of = (id: string) => ({ id, role: 'user' as const, text: '', interaction_id: id });
    const asked = { key: 'ai_sdk', message: of(message), history: history.map(of), regenerated };
    return placeIn(asked, chat, { head: 'int_3', isAll: true });
  };

  it('finds where a message belongs', () => {
    expect(place('new', ['u1', 'int_1', 'u3', 'int_3'])).toBe('head');
    expect(place('new', ['u1', 'int_1', 'u3'])).toBe('head');
    expect(place('new', ['u1', 'int_1'])).toEqual({ edited_from: 'int_3' });
    expect(place('u1', [])).toEqual({ edited_from: 'int_1' });
    expect(place('u2', ['u1', 'int_1'])).toEqual({ edited_from: 'int_2' });
    expect(place('odd', ['u1', 'int_1'], 'int_3')).toEqual({ edited_from: 'int_3' });
    expect(place('new', ['u1', 'int_1', 'u2', 'int_2'])).toBeUndefined();
    expect(place('new', ['strange'])).toBe('head');
  });
});
