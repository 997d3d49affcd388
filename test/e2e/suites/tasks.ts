import type { Servers } from '../servers.js';
import type { Task } from '../../../src/protocol/wire/task.js';

export function describeTasks(servers: Servers): void {
  describe("A chat's task board", () => {
    servers.run({}, (server) => {
      let chats = 0;
      const newChat = async (): Promise<string> => {
        const id = `board-${++chats}`;
        expect(await server.api.post('/chats', { id })).toMatchObject({ status: 201 });
        return id;
      };
      const add = async (chat_id: string, title: string): Promise<Task> =>
        (await server.api.post('/tasks', { chat_id, title })).body as Task;
      const board = async (chat: string): Promise<Task[]> =>
        (await server.api.get(`/tasks?chat_id=${chat}`)).body.items as Task[];
      /**
       * Lets the model call `todo` once; answers what it was told, and the interaction's events.
       */
      const todo = async (chat: string, tasks: object[]) => {
        server.fake.reply({ calls: [{ name: 'todo', arguments: { tasks } }] });
        const reader = await server.api.say(chat, 'Plan');
        expect(reader.faults).toEqual([]);
        return { reader, output: reader.find('TOOL_RESULT')!.tool_output };
      };

      it('is edited by people', async () => {
        const chat = await newChat();
        const first = await add(chat, 'Look');
        expect(first).toMatchObject({
          chat_id: chat,
          title: 'Look',
          description: null,
          status: 'pending',
          version: 1,
          agent_id: null,
        });
        const second = await add(chat, 'Leap');
        const change = { status: 'completed', description: 'Twice.', version: 1 };
        const changed = await server.api.patch(`/tasks/${first.id}`, change);
        expect(changed).toMatchObject({ status: 200, body: { ...change, version: 2 } });
        expect(await board(chat)).toEqual([changed.body, second]);
        const done = await server.api.get(`/tasks?chat_id=${chat}&status=completed`);
        expect(done.body).toEqual({ items: [changed.body], next_cursor: null });
        expect(await server.api.delete(`/tasks/${second.id}`)).toMatchObject({ status: 204 });
        expect(await board(chat)).toEqual([changed.body]);
      });

      it('lets nobody overwrite what they have not seen', async () => {
        const chat = await newChat();
        const { id } = await add(chat, 'Look');
        const answers = await Promise.all(
          ['A', 'B', 'C', 'D'].map((title) =>
            server.api.patch(`/tasks/${id}`, { title, version: 1 }),
          ),
        );
        const won = answers.filter(({ status }) => status === 200);
        expect(won).toHaveLength(1);
        for (const lost of answers.filter(({ status }) => status !== 200))
          expect(lost).toMatchObject({
            status: 409,
            body: { type: '/problems/task_changed', task: won[0]!.body },
          });
        const stale = await server.api.delete(`/tasks/${id}?version=1`);
        expect(stale).toMatchObject({ status: 409, body: { task: won[0]!.body } });
        expect(await board(chat)).toEqual([won[0]!.body]);
      });

      it('takes changes that name no version one after the other', async () => {
        const chat = await newChat();
        const { id } = await add(chat, 'Look');
        const all = ['A', 'B', 'C'].map((title) => server.api.patch(`/tasks/${id}`, { title }));
        for (const { status } of await Promise.all(all)) expect(status).toBe(200);
        expect((await board(chat))[0]).toMatchObject({ version: 4 });
      });

      it('refuses what is no task', async () => {
        const chat = await newChat();
        const { id } = await add(chat, 'Look');
        const refused: [string, object, string][] = [
          ['/tasks', { chat_id: chat }, 'title'],
          ['/tasks', { chat_id: chat, title: '' }, 'title'],
          ['/tasks', { chat_id: chat, title: 'x'.repeat(501) }, 'title'],
          ['/tasks', { chat_id: chat, title: 'x', status: 'done' }, 'status'],
          ['/tasks', { chat_id: chat, title: 'x', owner: 'me' }, 'owner'],
          ['/tasks', { title: 'x' }, 'chat_id'],
        ];
        for (const [path, body, field] of refused)
          expect(await server.api.post(path, { ...body })).toMatchObject({
            status: 400,
            body: { errors: [expect.objectContaining({ field })] },
          });
        for (const body of [{ title: null }, { status: null }, { version: 0 }, { chat_id: 'x' }])
          expect(await server.api.patch(`/tasks/${id}`, { ...body })).toMatchObject({
            status: 400,
          });
        expect(await board(chat)).toEqual([expect.objectContaining({ title: 'Look', version: 1 })]);
      });

      it('is not there without its chat, nor a task without its id', async () => {
        const lost = { chat_id: 'nobody', title: 'x' };
        for (const answer of [
          await server.api.get('/tasks?chat_id=nobody'),
          await server.api.post('/tasks', lost),
        ])
          expect(answer).toMatchObject({ status: 404, body: { type: '/problems/chat_not_found' } });
        for (const answer of [
          await server.api.patch('/tasks/task_none', { title: 'x' }),
          await server.api.delete('/tasks/task_none'),
        ])
          expect(answer).toMatchObject({ status: 404, body: { type: '/problems/task_not_found' } });
        expect(await server.api.get('/tasks')).toMatchObject({ status: 400 });
      });

      it('goes with its chat', async () => {
        const chat = await newChat();
        const { id } = await add(chat, 'Look');
        await server.api.delete(`/chats/${chat}`);
        expect(await server.api.delete(`/tasks/${id}`)).toMatchObject({ status: 404 });
      });

      it("is the agent's plan, and readers see it change", async () => {
        const chat = await newChat();
        const planned = await todo(chat, [
          { title: 'Look', status: 'in_progress' },
          { title: 'Leap' },
        ]);
        const [look, leap] = await board(chat);
        const agent_id = planned.reader.find('TOOL_CALL')!.agent_id;
        expect(look).toMatchObject({ title: 'Look', status: 'in_progress', agent_id });
        expect(leap).toMatchObject({ title: 'Leap', status: 'pending', agent_id });
        expect(planned.reader.records.filter(({ type }) => type === 'TASK_UPDATED')).toMatchObject([
          { task: look, agent_id },
          { task: leap, agent_id },
        ]);
        for (const { id } of [look!, leap!]) expect(planned.output).toContain(id);
        const gone = await todo(chat, [
          { id: look!.id, status: 'completed' },
          { id: leap!.id, remove: true },
        ]);
        expect(await board(chat)).toMatchObject([
          {
            ...look,
            status: 'completed',
            version: 2,
            agent_id: expect.any(String) as string,
            updated_at: expect.any(String) as string,
          },
        ]);
        expect(gone.reader.records.filter(({ type }) => type === 'TASK_UPDATED')).toMatchObject([
          { task: { id: look!.id, version: 2 } },
          { task: { id: leap!.id }, deleted: true },
        ]);
      });

      it('says the same twice without changing anything', async () => {
        const chat = await newChat();
        const plan = [{ title: 'Look', status: 'in_progress' }, { title: 'Leap' }];
        await todo(chat, plan);
        const before = await board(chat);
        const again = await todo(chat, plan);
        expect(again.reader.types).not.toContain('TASK_UPDATED');
        expect(await board(chat)).toEqual(before);
      });

      it('keeps what people changed from an agent that has not seen it', async () => {
        const chat = await newChat();
        const { id } = await add(chat, 'Look');
        await server.api.patch(`/tasks/${id}`, { title: 'Look twice' });
        const { output } = await todo(chat, [
          { id, status: 'completed', version: 1 },
          { id: 'task_none', status: 'completed' },
          { status: 'completed' },
          { title: 'Leap' },
        ]);
        expect(output).toMatch(/version 2/);
        expect(output).toMatch(/no such task/);
        expect(output).toMatch(/needs a title/);
        expect(await board(chat)).toMatchObject([
          { id, title: 'Look twice', status: 'pending', version: 2 },
          { title: 'Leap' },
        ]);
      });
    });
  });
}
