import { LocalLiveBus } from '../../src/event-log/live/local/local-live-bus.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { Ids } from '../../src/kernel/ids.js';
import { TasksService } from '../../src/tasks/tasks.service.js';
import { TodoTool } from '../../src/tasks/todo.tool.js';
import type { ToolContext, ToolEvent } from '../../src/tools/core/tool.js';
import { newChat } from '../contracts/interaction-store/fixtures.js';
import { FILES } from '../e2e/stores.js';
import type { OpenStore } from '../e2e/stores.js';
import { toolContext } from '../../src/testing/tool-context.js';

describe(`${TodoTool.name}, run again`, () => {
  const tasks = [{ title: 'Look' }, { title: 'Leap' }];
  let opened: OpenStore;
  let board: TasksService;
  let tool: TodoTool;
  let told: string[];
  let context: ToolContext;

  beforeAll(async () => {
    opened = await FILES.open();
    const { stores } = opened;
    board = new TasksService(
      stores.tasks,
      stores.chats,
      new LocalLiveBus(),
      new SystemClock(),
      new Ids(),
    );
    tool = new TodoTool(board);
  });
  afterAll(() => opened.close());

  beforeEach(async () => {
    const chat = newChat();
    await opened.stores.chats.createChat(chat);
    const began = Date.now();
    told = [];
    context = toolContext({
      chat_id: chat.id,
      chat_uid: chat.uid,
      now: () => Promise.resolve(began),
      tell: (event) => Promise.resolve(void told.push(nameOf(event))),
    });
  });

  it('tells of what the run before it had done and not told', async () => {
    const cut = new Error('The server is killed.');
    await expect(
      tool.execute({ tasks }, { ...context, tell: () => Promise.reject(cut) }),
    ).rejects.toBe(cut);
    await tool.execute({ tasks }, context);
    expect(told).toEqual(['Look', 'Leap']);
    expect((await board.list(context.chat_uid)).map(({ title }) => title)).toEqual([
      'Look',
      'Leap',
    ]);
  });

  it('says nothing of what was so before the call, or is by somebody else', async () => {
    await tool.execute({ tasks }, context);
    told = [];
    await tool.execute({ tasks }, { ...context, now: () => Promise.resolve(Date.now() + 1) });
    await tool.execute({ tasks }, { ...context, agent_id: 'agent_2' });
    expect(told).toEqual([]);
  });
});

function nameOf(event: ToolEvent): string {
  return event.type === 'TASK_UPDATED' ? event.task.title : event.message;
}
