import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Person } from '../../support/client/person.js';
import { IMAGES } from '../../support/tools/images.js';
import type { Servers } from '../servers.js';
import type { FileInfo } from '../../../src/protocol/wire/file.js';

export function describeFileTools(servers: Servers): void {
  describe('The tools of files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-file-tools-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const env = { WORKSPACE_DIR: folder, WORKSPACE_MODE: 'shared', FILE_MAX_BYTES: '5000000' };

    servers.run(env, (server) => {
      let chats = 0;
      const newChat = async (): Promise<string> => {
        const id = `file-tools-${++chats}`;
        await server.api.post('/chats', { id });
        return id;
      };
      const add = async (chat: string, content: string | Uint8Array<ArrayBuffer>, name: string) => {
        const form = new FormData();
        form.set('chat_id', chat);
        form.set('file', new Blob([content]), name);
        return (await server.api.send('POST', '/files', { form })).body as FileInfo;
      };
      const filesOf = async (chat: string) =>
        (await server.api.get(`/files?chat_id=${chat}`)).body.items as FileInfo[];
      /** Has the model call a tool once; answers its result. */
      const call = async (chat: string, name: string, args: object, approval_mode = 'auto') => {
        server.fake.reply({ calls: [{ name, arguments: args }] });
        const reader = await server.api.say(chat, { user_message: 'Go', approval_mode });
        expect(reader.faults).toEqual([]);
        return reader.find('TOOL_RESULT')!;
      };

      it('list the files of the chat, and of no other', async () => {
        const [chat, other] = [await newChat(), await newChat()];
        expect(await call(chat, 'file_list', {})).toMatchObject({
          tool_output: 'The conversation has no files.',
        });
        const [first, last] = [await add(chat, 'a', 'a.txt'), await add(chat, 'b', 'b.txt')];
        await add(other, 'c', 'other.txt');
        const { tool_output } = await call(chat, 'file_list', {});
        const listed = tool_output.split('\n').map((line) => JSON.parse(line));
        expect(listed.map(({ file_id }) => file_id)).toEqual([last.id, first.id]);
        expect(listed[0]).toEqual({
          ...{ file_id: last.id, filename: 'b.txt', mime_type: 'text/plain', size_bytes: 1 },
          created_at: last.created_at,
        });
      });

      it('read lines of a text', async () => {
        const chat = await newChat();
        const { id: file_id } = await add(chat, 'one\ntwo\nthree\n', 'a.txt');
        const all = await call(chat, 'file_read', { file_id });
        expect(all.tool_output).toBe('     1\tone\n     2\ttwo\n     3\tthree');
        const part = await call(chat, 'file_read', { file_id, offset: 2, limit: 1 });
        expect(part.tool_output).toContain('     2\ttwo\n[Lines 2 to 2 of 3.');
      });

      it('read a table of Excel in UTF-16', async () => {
        const chat = await newChat();
        const table = await add(chat, Buffer.from('\ufeffName\tÖre\r\n', 'utf16le'), 'table.txt');
        expect(table.mime_type).toBe('text/plain');
        const { tool_output } = await call(chat, 'file_read', { file_id: table.id });
        expect(tool_output).toContain('     1\tName\tÖre\n');
      });

      it('show an image, and say what can’t be shown', async () => {
        const chat = await newChat();
        const image = await add(chat, Buffer.from(IMAGES.png, 'base64'), 'red.png');
        const shown = await call(chat, 'file_read', { file_id: image.id });
        expect([shown.is_error, shown.tool_output]).toEqual([
          false,
          expect.stringContaining('red.png is an image: image/png'),
        ]);
        expect(shown.images).toEqual([{ media_type: 'image/png', size_bytes: 73 }]);
        const path = `/chats/${chat}/interactions/${shown.interaction_id}/records`;
        const response = await fetch(`${server.api.url}${path}/${shown.seq}/images/0`);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': 'image/png',
          'content-disposition': expect.stringMatching(/^inline/),
          'content-security-policy': expect.stringContaining('sandbox'),
          'x-content-type-options': 'nosniff',
        });
        const sent = Buffer.from(await response.arrayBuffer()).toString('base64');
        expect(sent).toBe(IMAGES.png);
        for (const place of [`${shown.seq}/images/1`, `${shown.seq - 1}/images/0`, '999/images/0'])
          expect((await server.api.get(`${path}/${place}`)).body).toMatchObject({
            ...{ status: 404, type: expect.stringMatching(/image_not_found$/) },
          });
        const photo = Buffer.concat([Buffer.from(IMAGES.png, 'base64'), Buffer.alloc(4_500_000)]);
        const { id: file_id } = await add(chat, photo, 'photo.png');
        const copy = await call(chat, 'file_read', { file_id });
        expect([copy.is_error, copy.tool_output]).toEqual([
          false,
          expect.stringMatching(
            /^photo\.png is an image, of which a smaller copy is shown: image\/jpeg, 3×2/,
          ),
        ]);
        const binary = await add(chat, Buffer.from([0, 1, 2]), 'a.bin');
        const refused = await call(chat, 'file_read', { file_id: binary.id });
        expect([refused.is_error, refused.tool_output]).toEqual([
          true,
          expect.stringContaining('file_import'),
        ]);
        const large = await add(chat, Buffer.alloc(4_500_000, 'x'), 'large.txt');
        expect((await call(chat, 'file_read', { file_id: large.id })).tool_output).toContain(
          '4500000 bytes, more than',
        );
      });

      it('know no file of another chat, nor one that is deleted', async () => {
        const [chat, other] = [await newChat(), await newChat()];
        const foreign = await add(other, 'secret', 'a.txt');
        const gone = await add(chat, 'secret', 'a.txt');
        await server.api.delete(`/files/${gone.id}`);
        for (const file_id of [foreign.id, gone.id, 'file_none'])
          for (const [name, more] of [
            ['file_read', {}],
            ['file_import', { path: 'stolen.txt' }],
            ['file_delete', {}],
          ] as const) {
            const { is_error, tool_output } = await call(chat, name, { file_id, ...more });
            expect([is_error, tool_output]).toEqual([
              true,
              expect.stringContaining(`There is no file ${file_id} in this chat`),
            ]);
          }
      });

      it('say that a file is unavailable, and not that there is none, while its bytes are missing', async () => {
        const chat = await newChat();
        const { id: file_id } = await add(chat, 'one', 'a.txt');
        const path = join(server.files, 'default', file_id);
        await rm(existsSync(path) ? path : `${path}_e`);
        const { is_error, tool_output } = await call(chat, 'file_read', { file_id });
        expect([is_error, tool_output]).toEqual([
          true,
          expect.stringContaining(`the bytes of ${file_id} are missing`),
        ]);
      });

      it('save a file of the workspace for the user', async () => {
        const chat = await newChat();
        await mkdir(join(folder, 'out'), { recursive: true });
        await writeFile(join(folder, 'out', 'report.csv'), 'a,b\n1,2\n');
        const { tool_output } = await call(chat, 'file_save', { path: 'out/report.csv' });
        const [file] = await filesOf(chat);
        expect(tool_output).toContain(file!.id);
        expect(file).toMatchObject({
          ...{ chat_id: chat, filename: 'report.csv', mime_type: 'text/csv', size_bytes: 8 },
          owner: 'local',
        });
        expect((await server.api.get(`/files/${file!.id}/content`)).body).toBe('a,b\n1,2\n');
        await call(chat, 'file_save', { path: 'out/report.csv', filename: '../Q1 report.csv' });
        expect((await filesOf(chat))[0]).toMatchObject({ filename: 'Q1 report.csv' });
      });

      it('save nothing from outside of the workspace, and nothing too large', async () => {
        const chat = await newChat();
        await symlink('/etc/passwd', join(folder, 'link')).catch(() => {});
        await writeFile(join(folder, 'large.bin'), Buffer.alloc(5_000_001));
        for (const path of ['/etc/passwd', '../x', 'link', 'missing.txt', '.', 'large.bin'])
          expect([path, (await call(chat, 'file_save', { path })).is_error]).toEqual([path, true]);
        expect(await filesOf(chat)).toEqual([]);
      });

      it('save a text for the user', async () => {
        const chat = await newChat();
        const text = 'Grüße 👋🏽\n';
        const saved = await call(chat, 'file_save', { content: text, filename: '../notes.md' });
        const [file] = await filesOf(chat);
        expect(saved.tool_output).toContain(file!.id);
        const size_bytes = Buffer.byteLength(text);
        expect(file).toMatchObject({ filename: 'notes.md', size_bytes, chat_id: chat });
        expect((await server.api.get(`/files/${file!.id}/content`)).body).toBe(text);
        await call(chat, 'file_save', { content: '', filename: 'empty.txt' });
        expect((await filesOf(chat))[0]).toMatchObject({ filename: 'empty.txt', size_bytes: 0 });
      });

      it.each([
        [{}, 'either the path'],
        [{ filename: 'a.txt' }, 'either the path'],
        [{ path: 'a.txt', content: 'a', filename: 'a.txt' }, 'either the path'],
        [{ content: 'a' }, 'needs a filename'],
        [{ content: 'a\0b', filename: 'a.txt' }, 'NUL'],
        [{ content: 'a', filename: '' }, 'filename'],
        [{ content: ['a'], filename: 'a.txt' }, 'content'],
      ])('save nothing when it is unclear what: %#', async (args, fault) => {
        const chat = await newChat();
        const { is_error, tool_output } = await call(chat, 'file_save', args);
        expect([is_error, tool_output]).toEqual([true, expect.stringContaining(fault)]);
        expect(await filesOf(chat)).toEqual([]);
      });

      it('delete a file once, and tell the person who decides its name', async () => {
        const chat = await newChat();
        const { id: file_id } = await add(chat, 'one', 'report.txt');
        const asked = { calls: [{ name: 'file_delete', arguments: { file_id } }] };
        server.fake.reply(asked);
        const person = new Person(() => server.api);
        const following = await person.say(chat, { user_message: 'Go' });
        const { approval_id, action, risk } = await following.record('APPROVAL_REQUIRED');
        expect([action, risk]).toEqual([
          `Delete the file report.txt (${file_id}) for good`,
          'high',
        ]);
        expect(await filesOf(chat)).toHaveLength(1);
        await person.approve(following.of, approval_id);
        const { tool_output } = (await following.end()).find('TOOL_RESULT')!;
        expect(tool_output).toContain(`Deleted report.txt (${file_id})`);
        expect(await filesOf(chat)).toEqual([]);
        expect((await server.api.get(`/files/${file_id}/content`)).status).toBe(404);
        const again = await call(chat, 'file_delete', { file_id });
        expect([again.is_error, again.tool_output]).toEqual([
          true,
          expect.stringContaining(`There is no file ${file_id} in this chat`),
        ]);
      });

      it('delete a file twice at the same time: one call gets it', async () => {
        const chat = await newChat();
        const { id: file_id } = await add(chat, 'one', 'a.txt');
        const one = { name: 'file_delete', arguments: { file_id } };
        server.fake.reply({ calls: [one, one] });
        const reader = await server.api.say(chat, { user_message: 'Go', approval_mode: 'auto' });
        const results = reader.list('TOOL_RESULT').map(({ is_error }) => is_error);
        expect(results).toHaveLength(2);
        expect(results).toContain(false);
        expect(results).toContain(true);
      });

      it('delete a file of a message, which still names it and is read as before', async () => {
        const chat = await newChat();
        const file = await add(chat, 'The code is 4711.', 'code.txt');
        server.fake.reply({ calls: [{ name: 'file_delete', arguments: { file_id: file.id } }] });
        const message = { user_message: 'Read it', file_ids: [file.id], approval_mode: 'auto' };
        const reader = await server.api.say(chat, message);
        expect(reader.find('TOOL_RESULT')).toMatchObject({
          is_error: false,
          tool_output: expect.stringContaining('the message still names it'),
        });
        const shown = (await server.api.get(`/chats/${chat}`)).body.interactions[0];
        expect(shown.files).toMatchObject([{ id: file.id, filename: 'code.txt' }]);
        await server.api.say(chat, { user_message: 'And now?' });
        const asked = JSON.stringify(server.fake.requests.at(-1)!.body);
        expect(asked).toContain('The code is 4711.');
      });

      it('delete a file that is being downloaded, whose reader gets all of it', async () => {
        const chat = await newChat();
        const bytes = Buffer.alloc(4_900_000, 'x');
        const { id } = await add(chat, bytes, 'large.txt');
        const download = await server.api.fetch(`/files/${id}/content`);
        await call(chat, 'file_delete', { file_id: id });
        expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
        expect((await server.api.get(`/files/${id}`)).status).toBe(404);
      });

      it('import a file into the workspace, and overwrite nothing that was not read', async () => {
        const chat = await newChat();
        const { id: file_id } = await add(chat, Buffer.from([1, 2, 3]), 'a.bin');
        const path = 'in/new.bin';
        expect((await call(chat, 'file_import', { file_id, path })).is_error).toBe(false);
        expect([...(await readFile(join(folder, path)))]).toEqual([1, 2, 3]);
        await writeFile(join(folder, 'mine.txt'), 'mine');
        const taken = await call(chat, 'file_import', { file_id, path: 'mine.txt' });
        expect([taken.is_error, taken.tool_output]).toEqual([
          true,
          expect.stringContaining('has not been read'),
        ]);
        expect(await readFile(join(folder, 'mine.txt'), 'utf8')).toBe('mine');
        const outside = await call(chat, 'file_import', { file_id, path: '../x' });
        expect(outside.is_error).toBe(true);
      });

      it('ask a person before they write, and obey rules about paths', async () => {
        const chat = await newChat();
        const { items } = (await server.api.get('/tools')).body;
        const tools = (items as { name: string; category: string; recovery: string }[]).filter(
          ({ name }) => name.startsWith('file_'),
        );
        expect(tools.map(({ name, category }) => [name, category])).toEqual([
          ['file_delete', 'write'],
          ['file_import', 'write'],
          ['file_list', 'read'],
          ['file_read', 'read'],
          ['file_save', 'write'],
        ]);
        await writeFile(join(folder, 'secret.txt'), 'x');
        const rule = { decision: 'deny', matcher: { type: 'path', pattern: 'secret.txt' } };
        const scope = { scope: 'session', scope_id: chat };
        await server.api.post('/permissions/rules', { ...rule, ...scope });
        expect((await call(chat, 'file_save', { path: 'secret.txt' })).is_error).toBe(true);
        const unasked = await call(chat, 'file_save', { path: 'mine.txt' }, 'deny');
        expect(unasked.is_error).toBe(true);
        expect(await filesOf(chat)).toEqual([]);
      });
    });
  });
}
