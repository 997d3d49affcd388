import { describeServer } from './connect-server.js';

describe(describeServer.name, () => {
  it.each([
    [
      'postgres://parley:s3cret@db.example:6432/chats?sslmode=require',
      '"chats" on db.example:6432',
    ],
    ['postgres://parley:s3cret@db.example', '"postgres" on db.example:5432'],
    [
      'postgres:///chats?host=/var/run/postgresql&password=s3cret',
      '"chats" on /var/run/postgresql:5432',
    ],
    ['postgres://u:p%40s3cret@[::1]/a%20b', '"a b" on [::1]:5432'],
  ])('names database and host of %s and nothing else', (url, text) => {
    expect(describeServer(url)).toBe(text);
  });

  it('does not quote what it can’t read', () => {
    const read = () => describeServer('postgres://parley:s3cret@db:port/chats');
    expect(read).toThrow(/DATABASE_URL/);
    expect(read).not.toThrow(/s3cret/);
  });
});
