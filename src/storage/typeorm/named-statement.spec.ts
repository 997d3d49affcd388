import { asParameters, columnsOf, named } from './named-statement.js';

describe(columnsOf.name, () => {
  it('names the table of each column', () => {
    expect(columnsOf('c', 'id, sha256')).toBe('c.id, c.sha256');
  });
});

describe(asParameters.name, () => {
  it('gives each column the parameter of its name', () => {
    expect(asParameters('id, chat_uid, sha256')).toBe(':id, :chat_uid, :sha256');
  });
});

describe(named.name, () => {
  it('numbers parameters in the order of their list, wherever they are used', () => {
    const find = named({
      name: 'chats.find',
      parameters: 'id, owner',
      text: 'SELECT uid::text FROM chats WHERE owner = :owner::text AND (id = :id OR :id IS NULL)',
    });
    const text = 'SELECT uid::text FROM chats WHERE owner = $2::text AND (id = $1 OR $1 IS NULL)';
    expect(find({ owner: 'ann', id: 'c1' })).toEqual([{ name: 'chats.find', text }, ['c1', 'ann']]);
  });

  it('takes names that begin with another name', () => {
    const count = named({ parameters: 'at, at2', text: 'SELECT :at2, :at' });
    expect(count({ at: 1, at2: 2 })).toEqual([{ text: 'SELECT $2, $1' }, [1, 2]]);
  });

  it('returns the same statement each time', () => {
    const find = named({ parameters: 'id', text: 'SELECT :id' });
    expect(find({ id: 1 })[0]).toBe(find({ id: 2 })[0]);
  });

  it('refuses a text with a parameter that is not listed', () => {
    const make = () => named({ parameters: 'id', text: 'SELECT :id, :chat_uid' });
    expect(make).toThrow('A statement has no parameter :chat_uid: SELECT :id, :chat_uid');
  });

  it('refuses a list with a parameter that the text does not use', () => {
    const make = () => named({ parameters: 'id, chat_uid', text: 'SELECT :id' });
    expect(make).toThrow('A statement does not use chat_uid: SELECT :id');
  });

  it('requires the values of its parameters, by types', () => {
    const find = named({ parameters: 'id, owner', text: 'SELECT :id, :owner' });
    // @ts-expect-error owner is missing
    expect(find({ id: 1 })[1]).toEqual([1, undefined]);
  });
});
