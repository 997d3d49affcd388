import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator.js';
import { AppError } from '../../kernel/app-error.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { AgentModels } from '../base/agent-models.js';

interface Model {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

@ApiExcludeController()
@Access('chat')
@Controller('v1/models')
export class OpenAiModelsController {
  constructor(private readonly models: AgentModels) {}

  @Get()
  list(): { readonly object: 'list'; readonly data: readonly Model[] } {
    return { object: 'list', data: this.models.list().map(({ id }) => toModel(id)) };
  }

  @Get(':id')
  get(@Param('id') id: string): Model {
    if (!this.models.find(id)) throw modelNotFound(this.models, id);
    return toModel(id);
  }
}

export function modelNotFound(models: AgentModels, id: string): AppError {
  const known = models.list().map((each) => each.id);
  const message = `There is no agent "${cutText(id, 64)}". Agents are the models: ${known.join(', ')}, or <agent>:<provider>/<model>.`;
  return new AppError('not_found', 'model_not_found', message, {
    errors: [{ field: 'model', message }],
  });
}

/** Agents have no date. */
function toModel(id: string): Model {
  return { id, object: 'model', created: 0, owned_by: 'parley' };
}
