import { Body, Controller, HttpCode, Param, RequestMethod, Res, Sse } from '@nestjs/common';
import type { MessageEvent } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Access, AlsoNeeds } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { HeadersOfStart } from '../../interactions/interactions.decorators.js';
import type { StartHeaders } from '../../interactions/start/start-request.js';
import { MAX_PENDING_LENGTH } from '../../streams/event-streams.js';
import { AgentModels } from '../base/agent-models.js';
import { AgUiRuns } from './ag-ui-runs.js';
import { agentNotFound } from './agent-not-found.js';
import { decides, readInput } from './read-input.js';

/** Agents for clients of AG-UI, such as `HttpAgent`. */
@ApiExcludeController()
@Access('chat')
@Controller('ag-ui')
export class AgUiController {
  constructor(
    private readonly runs: AgUiRuns,
    private readonly models: AgentModels,
  ) {}

  @Sse(':agent', { method: RequestMethod.POST, maxPendingDataLength: MAX_PENDING_LENGTH })
  @HttpCode(200)
  @AlsoNeeds('decide', ({ body }) => decides(body))
  run(
    @Caller() caller: Principal,
    @Param('agent') name: string,
    @Body() body: unknown,
    @HeadersOfStart() headers: StartHeaders,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Observable<MessageEvent>> {
    const agent = this.models.find(name);
    if (!agent) throw agentNotFound(this.models, name);
    return this.runs.run({ caller, agent, request: readInput(body), headers, response });
  }
}
