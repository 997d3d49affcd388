import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator.js';
import { Caller } from '../../auth/caller.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { CancelRunsDto, RunsQueryDto } from './dto/runs.dto.js';
import { RunsService } from './runs.service.js';
import { ApiAnswer } from '../../http/openapi/answer.js';
import { cancelledRuns, runList } from '../../protocol/wire/run.js';
import type { CancelledRuns, RunPage } from '../../protocol/wire/run.js';

@ApiTags('interactions')
@Access('operate')
@Controller('interactions')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Get()
  @ApiOperation({
    summary: 'Active and queued interactions of the tenant, oldest first',
    description:
      'In chats of all users, and without anything that was said in them. With ADMIN_KEY also of another tenant, or of all.',
  })
  @ApiAnswer(200, runList)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 403, description: 'Another tenant.' })
  list(@Caller() caller: Principal, @Query() query: RunsQueryDto): Promise<RunPage> {
    return this.runs.list(caller, query);
  }

  @Post('cancel')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Stop several interactions, or all of the tenant',
    description:
      'Does not wait for their ends. `all` takes the oldest 1,000; `has_more` says that there are others. With ADMIN_KEY also those of another tenant, or of all.',
  })
  @ApiBody({ type: CancelRunsDto, examples: { all: { value: { all: true } } } })
  @ApiAnswer(200, cancelledRuns)
  @ApiResponse({ status: 400 })
  @ApiResponse({ status: 403, description: 'Another tenant.' })
  cancel(@Caller() caller: Principal, @Body() body: CancelRunsDto): Promise<CancelledRuns> {
    return this.runs.cancel(caller, body);
  }
}
