import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { ProblemDto } from '../http/errors/problem.dto.js';
import { CheckDto, VerdictDto } from './dto/check.dto.js';
import { CreateRuleDto } from './dto/create-rule.dto.js';
import {
  DeletedRulesDto,
  PermissionRuleDto,
  PermissionRuleListDto,
} from './dto/permission-rule.dto.js';
import { DeleteRulesQueryDto, ListRulesQueryDto, RuleIdDto } from './dto/rules-query.dto.js';
import { PermissionsService } from './permissions.service.js';
import { RuleBook } from './rule-book.js';
import { toPage } from '../http/input/page-cursor.js';
import { AppError } from '../kernel/app-error.js';
import type { RuleInput } from './permission-rule.js';
import { checkRule } from './rules/check-rule.js';
import { formatRuleCursor, parseRuleCursor } from './rules/rule-cursor.js';

@ApiTags('permissions')
@Controller('permissions')
export class PermissionsController {
  constructor(
    private readonly rules: RuleBook,
    private readonly permissions: PermissionsService,
  ) {}

  @Get('rules')
  @ApiOperation({ summary: 'List rules, in the order in which they are looked at' })
  @ApiResponse({ status: 200, type: PermissionRuleListDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  async list(
    @Query() { limit, cursor, ...filter }: ListRulesQueryDto,
  ): Promise<PermissionRuleListDto> {
    const after = cursor === undefined ? undefined : parseRuleCursor(cursor);
    const page = { limit: limit + 1, ...(after && { after }) };
    return toPage(await this.rules.list(filter, page), limit, formatRuleCursor);
  }

  @Post('rules')
  @ApiOperation({ summary: 'Add a rule' })
  @ApiResponse({ status: 201, type: PermissionRuleDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  @ApiResponse({ status: 404, type: ProblemDto, description: 'There is no such chat.' })
  @ApiResponse({ status: 409, type: ProblemDto, description: 'There are too many of that scope.' })
  add(@Caller() caller: Principal, @Body() body: CreateRuleDto): Promise<PermissionRuleDto> {
    return this.rules.add(requireRule(body), caller);
  }

  @Delete('rules/:id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a rule' })
  @ApiResponse({ status: 204 })
  @ApiResponse({ status: 404, type: ProblemDto })
  @ApiResponse({ status: 409, type: ProblemDto, description: 'It is a rule of a file.' })
  remove(@Caller() caller: Principal, @Param() { id }: RuleIdDto): Promise<void> {
    return this.rules.remove(id, caller);
  }

  @Delete('rules')
  @ApiOperation({ summary: 'Delete the rules of a scope that were added over the API' })
  @ApiResponse({ status: 200, type: DeletedRulesDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  async removeScope(
    @Caller() caller: Principal,
    @Query() query: DeleteRulesQueryDto,
  ): Promise<DeletedRulesDto> {
    return { deleted: await this.rules.removeScope(query, caller) };
  }

  @Post('check')
  @HttpCode(200)
  @ApiOperation({ summary: 'Ask what the rules say about a call, without running it' })
  @ApiResponse({ status: 200, type: VerdictDto })
  @ApiResponse({ status: 400, type: ProblemDto })
  async check(@Body() body: CheckDto): Promise<VerdictDto> {
    const { decision, rule, reason, trace } = await this.permissions.check(body);
    return { decision, rule: rule as PermissionRuleDto | null, reason, trace };
  }
}

/** @throws AppError `invalid_body` (400), with each invalid field */
function requireRule(value: object): RuleInput {
  const checked = checkRule(value);
  if (checked.ok) return checked.rule;
  const errors = checked.faults.map(({ path, message }) => ({ field: path.join('.'), message }));
  const said = errors.slice(0, 3).map(({ field, message }) => `${field} ${message}`);
  const detail = `The body has faults: ${said.join('; ')}`;
  throw new AppError('invalid', 'invalid_body', detail, { errors });
}
