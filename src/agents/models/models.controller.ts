import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator.js';
import { ApiAnswer } from '../../http/openapi/answer.js';
import { NeedsNoStore } from '../../http/security/needs-no-store.js';
import { KnownModels } from './known-models.js';
import { modelList } from './listed-models.js';
import type { ModelList } from './listed-models.js';

@ApiTags('agents')
@NeedsNoStore()
@Access('chat')
@Controller('models')
export class ModelsController {
  constructor(private readonly models: KnownModels) {}

  @Get()
  @ApiOperation({
    summary: 'The models that are known here',
    description:
      'Those that the configuration or an agent names. Whether their vendor serves them, only a start tells; any other name of a provider can be used as well.',
  })
  @ApiAnswer(200, modelList)
  list(): ModelList {
    return this.models.list();
  }
}
