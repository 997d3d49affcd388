import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ChatAccess } from '../../../access/chat-access.js';
import { Access } from '../../../auth/access.decorator.js';
import { Caller } from '../../../auth/caller.decorator.js';
import type { Principal } from '../../../auth/principal.js';
import { ChatDeletion } from '../../../chats/chat-deletion.js';
import { ChatsService } from '../../../chats/chats.service.js';
import { CreateChatDto } from '../../../chats/dto/create-chat.dto.js';
import { UpdateChatDto } from '../../../chats/dto/update-chat.dto.js';
import { InputPipe } from '../../../http/input/input.pipe.js';
import { AppError } from '../../../kernel/app-error.js';
import { AgentModels } from '../../base/agent-models.js';
import type { ThreadState } from './states.js';
import { readCreated, readHistory, readNamed, readSearched, readUpdated } from './thread-bodies.js';
import { ThreadSearches } from './thread-searches.js';
import { ThreadStates } from './thread-states.js';
import { viewThread } from './thread-view.js';

const NOTHING = { values: null, interrupts: [] };

/** Chats as threads. */
@ApiExcludeController()
@Access('chat')
@Controller('langgraph/threads')
export class ThreadsController {
  private readonly pipe = new InputPipe();

  constructor(
    private readonly chats: ChatsService,
    private readonly deletion: ChatDeletion,
    private readonly access: ChatAccess,
    private readonly models: AgentModels,
    private readonly states: ThreadStates,
    private readonly searches: ThreadSearches,
  ) {}

  @Post()
  @HttpCode(200)
  async create(@Caller() caller: Principal, @Body() body: unknown): Promise<object> {
    const { thread_id, metadata, if_exists } = readCreated(body);
    const graph = metadata?.['graph_id'];
    const model = typeof graph === 'string' ? this.models.find(graph) : undefined;
    const given = {
      ...(thread_id && { id: thread_id }),
      ...(metadata && { metadata }),
      ...(model && { agent: model.agent }),
    };
    const chat = await this.check(CreateChatDto, given);
    try {
      return viewThread(await this.chats.create(caller, chat), NOTHING);
    } catch (error) {
      const isThere = error instanceof AppError && error.code === 'chat_exists';
      if (!isThere || if_exists !== 'do_nothing') throw error;
      return this.get(caller, thread_id!);
    }
  }

  @Post('search')
  @HttpCode(200)
  search(@Caller() caller: Principal, @Body() body: unknown): Promise<object[]> {
    return this.searches.search(caller, readSearched(body));
  }

  @Get(':thread_id')
  async get(@Caller() caller: Principal, @Param('thread_id') id: string): Promise<object> {
    const { thread, interrupts, states } = await this.states.open(caller, id);
    return viewThread(thread.chat, { values: states.head().values, interrupts });
  }

  @Patch(':thread_id')
  async update(
    @Caller() caller: Principal,
    @Param('thread_id') id: string,
    @Body() body: unknown,
  ): Promise<object> {
    const { metadata } = readUpdated(body);
    const { metadata: known } = await this.access.chat(caller, id);
    const changed = await this.check(UpdateChatDto, { metadata: { ...known, ...metadata } });
    return viewThread(await this.chats.update(caller, id, changed), NOTHING);
  }

  @Delete(':thread_id')
  @HttpCode(204)
  delete(@Caller() caller: Principal, @Param('thread_id') id: string): Promise<void> {
    return this.deletion.delete(caller, id);
  }

  @Get(':thread_id/state')
  state(@Caller() caller: Principal, @Param('thread_id') id: string): Promise<ThreadState> {
    return this.states.at(caller, id, null);
  }

  @Get(':thread_id/state/:checkpoint_id')
  stateAt(
    @Caller() caller: Principal,
    @Param('thread_id') id: string,
    @Param('checkpoint_id') checkpoint: string,
  ): Promise<ThreadState> {
    return this.states.at(caller, id, checkpoint);
  }

  @Post(':thread_id/state/checkpoint')
  @HttpCode(200)
  stateOf(
    @Caller() caller: Principal,
    @Param('thread_id') id: string,
    @Body() body: unknown,
  ): Promise<ThreadState> {
    return this.states.at(caller, id, readNamed(body));
  }

  /** Children have no states of their own. */
  @Post(':thread_id/history')
  @HttpCode(200)
  async history(
    @Caller() caller: Principal,
    @Param('thread_id') id: string,
    @Body() body: unknown,
  ): Promise<readonly ThreadState[]> {
    const { namespace, ...query } = readHistory(body);
    const found = await this.states.history(caller, id, query);
    return namespace === '' ? found : [];
  }

  private async check<T extends object>(metatype: new () => T, given: object): Promise<T> {
    return (await this.pipe.transform(given, { type: 'body', metatype })) as T;
  }
}
