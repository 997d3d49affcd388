import { readFileSync } from 'node:fs';
import { createClient } from '../../client/index.js';
import { groupsOf } from '../../client/groups.js';

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

/** What each method of the groups asks for, called with an id or a body wherever it takes one. */
function asked(): string[] {
  const calls: string[] = [];
  const note = (method: string, path: string) => {
    calls.push(`${method} ${path}`);
    return Promise.resolve(undefined as never);
  };
  const callAll = (group: object): void => {
    for (const member of Object.values(group) as unknown[])
      if (typeof member === 'function') void member('a', 'b', {});
      else callAll(member as object);
  };
  callAll(groupsOf(note, note));
  return calls;
}

/** The paths that streams and forms ask for, of a chat `c` and an interaction `i`. */
async function askedByStreams(): Promise<string[]> {
  const calls: string[] = [];
  const client = createClient({
    url: 'http://parley/',
    fetch: (url, init) => {
      const path = (url as string).replace('http://parley', '');
      const template = path.replace('/c/', '/{chat_id}/').replace('/i/', '/{interaction_id}/');
      calls.push(`${init?.method} ${template}`);
      return Promise.resolve(new Response(null, { status: 204 }));
    },
  });
  const streams = [
    client.start('c', { user_message: 'Hi' }),
    client.edit('c', 'i', { new_user_message: 'Hi' }),
    client.follow('c', 'i'),
    client.chat('c').events(),
    client.feed(),
  ];
  for (const stream of streams) for await (const _ of stream);
  await client.files.upload(new Blob(['x'])).catch(() => {});
  await client.audio.transcribe(new Blob(['x'])).catch(() => {});
  return calls;
}

describe(createClient.name, () => {
  it('has a method for every operation of the API, and for no other', async () => {
    const all = new Set([...asked(), ...(await askedByStreams())]);
    expect([...all].toSorted()).toEqual(operations.toSorted());
  });
});
