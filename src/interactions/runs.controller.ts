import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { CancelRunsDto, CancelledRunsDto, RunListDto, RunsQueryDto } from './dto/runs.dto.js';
import { RunsService } from './runs.service.js';

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
  @ApiResponse({ status: 200, type: RunListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 403, type: ProblemDto, description: 'Another tenant.' })
  list(@Caller() caller: Principal, @Query() query: RunsQueryDto): Promise<RunListDto> {
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
  @ApiResponse({ status: 200, type: CancelledRunsDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 403, type: ProblemDto, description: 'Another tenant.' })
  cancel(@Caller() caller: Principal, @Body() body: CancelRunsDto): Promise<CancelledRunsDto> {
    return this.runs.cancel(caller, body);
  }
}
