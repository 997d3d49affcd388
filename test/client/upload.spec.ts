import { createClient } from '../../client/index.js';
import type { Progress } from '../../client/index.js';

/** Uploads 9 bytes with a `fetch` of one's own; the body that this was given, and what was told. */
async function upload(): Promise<{ body: unknown; told: readonly Progress[] }> {
  const told: Progress[] = [];
  let body: unknown;
  const client = createClient({
    url: 'http://parley/',
    fetch: async (_url, init) => {
      body = init?.body;
      if (body instanceof ReadableStream) await new Response(body).arrayBuffer();
      return Response.json({ id: 'file_1' }, { status: 201 });
    },
  });
  const onProgress = (progress: Progress): void => void told.push(progress);
  const file = await client.files.upload(new Blob(['123456789']), { onProgress });
  expect(file).toEqual({ id: 'file_1' });
  return { body, told };
}

describe('An upload through a fetch of one’s own', () => {
  afterEach(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'));

  it('is streamed in Node, which tells how far it is', async () => {
    const { body, told } = await upload();
    expect(body).toBeInstanceOf(ReadableStream);
    expect(told.at(-1)).toEqual({ sent: 9, total: 9 });
  });

  it('is a form in a browser, which sends no streams over HTTP/1.1', async () => {
    Object.defineProperty(globalThis, 'XMLHttpRequest', { value: Object, configurable: true });
    const { body, told } = await upload();
    expect(body).toBeInstanceOf(FormData);
    expect(told).toEqual([{ sent: 9, total: 9 }]);
  });
});
