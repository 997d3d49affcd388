import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ChatAccess } from '../access/chat-access.js';
import { requireScope } from '../auth/auth-errors.js';
import { viewerOf } from '../access/viewer-of.js';
import { Caller } from '../auth/caller.decorator.js';
import type { Principal } from '../auth/principal.js';
import { Access } from '../auth/access.decorator.js';
import { CheckDto } from './dto/check.dto.js';
import { CreateRuleDto } from './dto/create-rule.dto.js';
import { DeleteRulesQueryDto, ListRulesQueryDto, RuleIdDto } from './dto/rules-query.dto.js';
import { PermissionsService } from './permissions.service.js';
import { RuleBook } from './rule-book.js';
import { toPage } from '../kernel/page-cursor.js';
import { AppError } from '../kernel/app-error.js';
import type { RuleFilter } from './rules/rule-store.js';
import { checkRule } from './rules/check-rule.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { formatRuleCursor, parseRuleCursor } from './rules/order-rules.js';
import { ApiAnswer } from '../http/openapi/answer.js';
import { createdRule, deletedRules, ruleList, verdict } from '../protocol/wire/rule.js';
import type {
  CreatedRule,
  DeletedRules,
  Matcher,
  PermissionRule,
  RuleInput,
  RuleList,
  RuleScope,
  Verdict,
} from '../protocol/wire/rule.js';

type RuleTarget = Pick<RuleInput, 'scope' | 'scope_id'>;

@ApiTags('permissions')
@Access('chat')
@Controller('permissions')
export class PermissionsController {
  constructor(
    private readonly rules: RuleBook,
    private readonly permissions: PermissionsService,
    private readonly access: ChatAccess,
    private readonly tools: ToolRegistry,
  ) {}

  @Get('rules')
  @ApiOperation({ summary: 'List rules, in the order in which they are looked at' })
  @ApiAnswer(200, ruleList)
  @ApiResponse({ status: 400 })
  async list(
    @Caller() caller: Principal,
    @Query() { limit, cursor, scope, scope_id }: ListRulesQueryDto,
  ): Promise<RuleList> {
    const after = cursor === undefined ? undefined : parseRuleCursor(cursor);
    const page = { limit: limit + 1, ...(after && { after }) };
    return toPage(
      await this.rules.list({ viewer: viewerOf(caller), ...filterOf(scope, scope_id) }, page),
      limit,
      formatRuleCursor,
    );
  }

  @Access('decide')
  @Post('rules')
  @ApiOperation({ summary: 'Add a rule' })
  @ApiAnswer(201, createdRule)
  @ApiResponse({ status: 400 })
  @ApiResponse({
    status: 403,
    description: 'Of scope agent, global, or another user’s: only admins.',
  })
  @ApiResponse({ status: 404, description: 'There is no such chat.' })
  @ApiResponse({ status: 409, description: 'There are too many of that scope.' })
  async add(@Caller() caller: Principal, @Body() body: CreateRuleDto): Promise<CreatedRule> {
    const rule = ofUser(caller, requireRule(body));
    requireRight(caller, rule);
    const hint = this.hintOn(rule);
    return { ...(await this.rules.add(caller, rule)), ...(hint !== undefined && { hint }) };
  }

  @Access('decide')
  @Delete('rules/:id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a rule' })
  @ApiResponse({ status: 204 })
  @ApiResponse({ status: 404 })
  @ApiResponse({ status: 409, description: 'It is a rule of a file.' })
  async remove(@Caller() caller: Principal, @Param() { id }: RuleIdDto): Promise<void> {
    requireRight(caller, await this.rules.get(caller, id));
    await this.rules.remove(caller, id);
  }

  @Access('decide')
  @Delete('rules')
  @ApiOperation({ summary: 'Delete the rules of a scope that were added over the API' })
  @ApiAnswer(200, deletedRules)
  @ApiResponse({ status: 400 })
  async removeAll(
    @Caller() caller: Principal,
    @Query() { scope, scope_id }: DeleteRulesQueryDto,
  ): Promise<DeletedRules> {
    requireRight(caller, { scope, scope_id: scope_id ?? caller.user_id });
    return { deleted: await this.rules.removeAll(caller, filterOf(scope, scope_id)) };
  }

  @Post('check')
  @HttpCode(200)
  @ApiOperation({ summary: 'Ask what the rules say about a call, without running it' })
  @ApiAnswer(200, verdict)
  @ApiResponse({ status: 400 })
  async check(@Caller() caller: Principal, @Body() body: CheckDto): Promise<Verdict> {
    const { tenant_id, user_id } = caller;
    const { tool_name, tool_input, chat_id, agent } = body;
    const chat = chat_id === undefined ? undefined : await this.access.findChat(caller, chat_id);
    const { decision, rule, reason, trace } = await this.permissions.check({
      ...{ tenant_id, user_id, tool_name, tool_input },
      ...(chat_id !== undefined && { chat_id }),
      ...(chat && { chat_uid: chat.uid }),
      ...(agent !== undefined && { agent }),
    });
    return { decision, rule: rule as PermissionRule | null, reason, trace };
  }

  /** A tool may come later, with its server or with a client, so that the rule is valid. */
  private hintOn({ matcher }: RuleInput): string | undefined {
    const name = toolNamedBy(matcher);
    if (name === undefined || this.tools.find(name)) return undefined;
    return this.tools.describeUnknown(name);
  }
}

/** Undefined if the matcher is for any tool, or for a glob of tools. */
function toolNamedBy(matcher: Matcher): string | undefined {
  const name =
    matcher.type === 'tool' ? matcher.pattern : 'tool' in matcher ? matcher.tool : undefined;
  return name !== undefined && /^[\w-]+$/.test(name) ? name : undefined;
}

function filterOf(
  scope: RuleScope | undefined,
  scope_id: string | undefined,
): Omit<RuleFilter, 'viewer'> {
  return {
    ...(scope !== undefined && { scope }),
    ...(scope_id !== undefined && { scope_id }),
  };
}

/** A rule of scope `user` without an id is of the caller. */
function ofUser({ user_id }: Principal, rule: RuleInput): RuleInput {
  return rule.scope === 'user' ? { ...rule, scope_id: rule.scope_id ?? user_id } : rule;
}

/** @throws AppError `missing_scope` (403) */
function requireRight(caller: Principal, { scope, scope_id }: RuleTarget): void {
  if (scope === 'session' || (scope === 'user' && scope_id === caller.user_id)) return;
  requireScope(caller, 'admin');
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
