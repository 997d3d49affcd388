import { Injectable, Logger } from '@nestjs/common';
import { viewerOf } from '../access/viewer-of.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { requireScope } from '../auth/auth-errors.js';
import type { Principal } from '../auth/principal.js';
import type { Viewer } from '../persistence/viewer.js';
import { AppError } from '../kernel/app-error.js';
import { Redaction } from '../guardrails/redaction/redaction.js';
import { InteractionStore } from '../persistence/interaction.store.js';
import { InterventionStore } from '../persistence/intervention.store.js';
import { RecordStore } from '../persistence/record.store.js';
import { RequestStore } from '../persistence/request.store.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { deciderOf } from '../protocol/events.js';
import type { Json } from '../protocol/json.js';
import type { RequestRow, Settlement } from '../persistence/rows/request-rows.js';
import type { RememberScope } from '../permissions/judges/tool-judge.js';
import { ToolJudge } from '../permissions/judges/tool-judge.js';
import type { JudgedCall, RememberedRule } from '../permissions/judges/tool-judge.js';
import { judgedArguments } from '../tools/core/check-arguments.js';
import { ToolExecutor } from '../tools/core/tool-executor.js';
import { ToolRegistry } from '../tools/core/tool-registry.js';
import { listAllRequests } from './list-all-requests.js';
import type { RequestOwner } from './request-errors.js';
import { RequestsService } from './requests.service.js';
import type { PermissionRule, RuleInput } from '../protocol/wire/rule.js';

/** A person's decision on one call. */
export interface Verdict {
  readonly approval_id: string;
  readonly approved: boolean;
  /** For the model. */
  readonly reason?: string;
  /** Runs instead of what the model wrote. */
  readonly modified_input?: Json;
  /** Decide calls like this one the same from now on. */
  readonly remember?: RememberScope;
}

/** A call that a rule is tried on. */
export interface EarlierCall {
  readonly tool_name: string;
  /** JSON text, as the model wrote it. */
  readonly tool_input: string;
}

/** A verdict whose rule is asked for, before it is given. */
export interface Preview extends Verdict {
  readonly remember: RememberScope;
  readonly calls?: readonly EarlierCall[];
}

/** The rule that decides such calls from now on; null with the reason why there is none. */
export type Remembered =
  { readonly rule: PermissionRule } | { readonly rule: null; readonly reason: string };

/** Takes a person's verdict on a tool call. */
@Injectable()
export class ApprovalsService {
  private readonly logger = new Logger('Approvals');

  constructor(
    private readonly requests: RequestsService,
    private readonly interactions: InteractionStore,
    private readonly interventions: InterventionStore,
    private readonly records: RecordStore,
    private readonly store: RequestStore,
    private readonly tools: ToolRegistry,
    private readonly executor: ToolExecutor,
    private readonly judge: ToolJudge,
    private readonly audit: AuditTrail,
    private readonly redaction: Redaction,
  ) {}

  /**
   * Gives the rule, or why there is none, if the verdict is to be remembered.
   * @throws AppError as `RequestsService`, and `invalid_body`, `invalid_input`, `redacted_input`,
   * `denied_by_rule` (400), `not_rememberable` (422), `missing_scope` (403): it is still pending
   * then
   */
  async decide(
    caller: Principal,
    owner: RequestOwner,
    verdict: Verdict,
  ): Promise<Remembered | undefined> {
    const { approval_id, approved, remember } = verdict;
    requireScope(caller, 'decide');
    if (remember && remember !== 'session') requireScope(caller, 'admin');
    if (!approved && verdict.modified_input) throw inputOfRejected();
    const viewer = viewerOf(caller);
    const { reason, redacted } = await this.redaction.of({ reason: verdict.reason }, 'reason');
    const { modified_input } = verdict;
    const row = await this.requests.find(approval_id, 'approval', { ...owner, viewer });
    const isPending = row.status === 'pending';
    if (isPending && modified_input) await this.checkInput(row, modified_input, viewer);
    const rule = isPending ? await this.suggestRule(row, verdict, viewer) : undefined;
    const settlement = {
      ...{ kind: 'approval' as const, approved, by: deciderOf(caller.user_id) },
      ...(reason?.trim() && { reason }),
      ...(modified_input && { modified_input }),
      ...(redacted && { redacted }),
    };
    const detail = {
      approval_id,
      tool_name: toolName(row),
      modified: modified_input !== undefined,
    };
    const { chat_id, interaction_id } = row;
    const action = approved ? 'approval.approved' : 'approval.rejected';
    // Before the run can go on: its next call is judged by the rule.
    const added = rule && (await this.remember(caller, rule));
    try {
      await this.requests.settle(viewer, row, settlement);
    } catch (error) {
      // Another decision counts.
      if (added?.rule && added.isNew) await this.forget(caller, added.rule);
      throw error;
    }
    await this.audit.note(caller, action, { chat_id, interaction_id, detail });
    return added?.rule ? { rule: added.rule } : added;
  }

  /**
   * The rule that a verdict would add, if there is one, and which calls it would decide.
   * @throws AppError `request_not_found` (404), `missing_scope` (403)
   */
  async preview(
    caller: Principal,
    owner: RequestOwner,
    verdict: Preview,
  ): Promise<{ readonly rule: RuleInput | undefined; readonly decides: readonly number[] }> {
    const { approval_id, approved, modified_input, remember, calls = [] } = verdict;
    if (remember !== 'session') requireScope(caller, 'admin');
    const viewer = viewerOf(caller);
    const row = await this.requests.find(approval_id, 'approval', { ...owner, viewer });
    const call = await this.callOf(row, viewer, approved ? modified_input : undefined);
    const rule = call && (await this.judge.suggest(call, approved ? 'allow' : 'deny', remember));
    if (!rule) return { rule: undefined, decides: [] };
    const decides: number[] = [];
    for (const [index, earlier] of calls.entries())
      if (await this.wouldDecide(rule, earlier, call)) decides.push(index);
    return { rule, decides };
  }

  private async wouldDecide(
    rule: RuleInput,
    { tool_name, tool_input }: EarlierCall,
    call: JudgedCall,
  ): Promise<boolean> {
    const tool = this.tools.find(tool_name);
    const input = readInput(tool_input);
    if (!tool || !input) return false;
    return this.judge.wouldDecide(rule, { ...call, tool, tool_input: input });
  }

  private async suggestRule(
    row: RequestRow,
    verdict: Verdict,
    viewer: Viewer,
  ): Promise<RuleInput | undefined> {
    const { approved, modified_input, remember } = verdict;
    if (!remember) return undefined;
    const call = await this.callOf(row, viewer, approved ? modified_input : undefined);
    const rule = call && (await this.judge.suggest(call, approved ? 'allow' : 'deny', remember));
    if (rule) return rule;
    throw new AppError(
      'unprocessable',
      'not_rememberable',
      'No rule of that scope would decide calls like this one, so nothing was decided. Decide without `remember`, or add a rule of your own with POST /permissions/rules.',
    );
  }

  /** The verdict counts even if its rule can't be saved. */
  private async remember(
    caller: Principal,
    suggested: RuleInput,
  ): Promise<RememberedRule | { readonly rule: null; readonly reason: string }> {
    try {
      return await this.judge.remember(caller, suggested);
    } catch (error) {
      if (error instanceof AppError && error.kind === 'conflict')
        return { rule: null, reason: error.message };
      this.logger.error(error, 'Could not save the rule of a remembered verdict');
      return { rule: null, reason: 'The rule could not be saved.' };
    }
  }

  /** The caller is told of the decision that counts, even if the rule can't be taken back. */
  private async forget(caller: Principal, rule: PermissionRule): Promise<void> {
    try {
      await this.judge.forget(caller, rule);
    } catch (error) {
      this.logger.error(error, `Could not take back ${rule.id}, the rule of a late verdict`);
    }
  }

  /**
   * A modified input has to match the tool's schema, no rule may deny it, and it has to be saved as
   * it will run.
   */
  private async checkInput(row: RequestRow, input: Json, viewer: Viewer): Promise<void> {
    await this.redaction.requireNothingIn(input, 'modified_input');
    const checked = this.executor.check(toolName(row), JSON.stringify(input));
    if (!checked.ok) throw faulty('invalid_input', checked.fault_for_people ?? checked.fault);
    const call = await this.callOf(row, viewer, input);
    const verdict = call && (await this.judge.check(call));
    if (verdict?.decision === 'deny') throw faulty('denied_by_rule', verdict.reason);
  }

  /** Its speakers include the viewer, who can't let others do what their own rules forbid. */
  private async callOf(
    row: RequestRow,
    viewer: Viewer,
    input?: Json,
  ): Promise<JudgedCall | undefined> {
    const tool = this.tools.find(toolName(row));
    const interaction = await this.interactions.findInteraction(row.interaction_id, viewer);
    if (!tool || !interaction) return undefined;
    const tool_input = input ?? judgedArguments(String(row.event['tool_input']));
    const speakers = [...(await this.speakersIn(interaction, viewer)), viewer.user_id];
    const agent = await this.agentTypeOf(row, interaction);
    return { tool, tool_input, interaction, agent, speakers };
  }

  /** The same as those of the run: see `runs/scope/speakers.ts`. */
  private async speakersIn({ id: interaction_id }: InteractionRow, viewer: Viewer) {
    const notes = await this.interventions.listInterventions(interaction_id);
    const ids = new Set(notes.map(({ created_by }) => created_by));
    for await (const { settlement } of listAllRequests(this.store, { viewer, interaction_id }))
      if (settlement?.by.user_id !== undefined && hasWords(settlement))
        ids.add(settlement.by.user_id);
    return ids;
  }

  private async agentTypeOf({ agent_id }: RequestRow, { id, ...root }: InteractionRow) {
    if (agent_id === root.agent_id) return root.agent;
    const started = await this.records.readRecordsOfTypes([id], ['AGENT_STARTED']);
    const body = started.find((record) => record.agent_id === agent_id)?.body;
    return body?.type === 'AGENT_STARTED' ? body.agent_type : root.agent;
  }
}

function hasWords(settlement: Settlement): boolean {
  if (settlement.kind === 'tool') return true;
  if (settlement.kind === 'input') return settlement.answer !== null;
  return settlement.modified_input !== undefined || settlement.reason !== undefined;
}

/** Undefined if the model wrote no arguments there. */
function readInput(text: string): Json | undefined {
  try {
    return judgedArguments(text);
  } catch {
    return undefined;
  }
}

function inputOfRejected(): AppError {
  const message =
    'A rejected call runs with no input: leave `modified_input` out, or approve. Nothing was decided.';
  return new AppError('invalid', 'invalid_body', message, {
    errors: [{ field: 'modified_input', message }],
  });
}

function toolName({ event }: RequestRow): string {
  return String(event['tool_name']);
}

function faulty(code: string, message: string): AppError {
  return new AppError('invalid', code, message, { errors: [{ field: 'modified_input', message }] });
}
