import type { RecordBody } from '../../protocol/events.js';
import { judgedArguments, parseArguments } from '../../tools/core/check-arguments.js';
import { toErrorText } from '../../tools/core/to-text.js';
import { showInput } from '../../tools/text/cut-text.js';
import type { Cut } from '../../kernel/text/cut-text.js';
import { showUnseen } from '../../tools/text/show-unseen.js';
import type { CallAbout, Tool } from '../../tools/core/tool.js';
import { decisionsOf, describeRejection, inputOf } from '../closing/call-records.js';
import type { ToolCallInput } from './tool-call-input.js';
import { GuardedResult, guardedAgent, trip } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolVerdict } from '../../permissions/judges/tool-judge.js';

/** The decision on a call, with the entries that log how it was decided. */
export type Authorization =
  | { readonly state: 'allowed'; readonly tool_input: string; readonly told: readonly RecordBody[] }
  | { readonly state: 'denied'; readonly output: string; readonly told: readonly RecordBody[] }
  /** A person is asked; the agent goes on meanwhile. */
  | { readonly state: 'deferred'; readonly approval_id: string };

/** The reason to ask a person. */
interface Doubt {
  readonly reason: string;
  /** Set when the call looks like a loop. */
  readonly repeated?: string;
  /** True if the call may be one that a rule denies. */
  readonly isSuspect: boolean;
}

/**
 * Authorizes a tool call: by rules, and by a person if the rules require it. A decision is made
 * once (I5).
 */
export class ToolAuthorizer {
  /** Declaration of the tool that a person was asked about. */
  declared: string | undefined;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ToolCallInput,
  ) {}

  /**
   * The decision on a call that an earlier run let begin, also if its tool is missing now;
   * undefined if none did.
   */
  async decidedBefore(tool_input: string): Promise<Authorization | undefined> {
    const { journal } = this.scope.run;
    const asked = journal.findProgress(this.input.key, 'APPROVAL_REQUIRED');
    this.declared = asked?.hidden?.declared;
    const approved = journal.findProgress(this.input.key, 'APPROVED');
    if (approved) return allowed(inputOf(approved.body, tool_input));
    if (asked) return this.awaitDecision(asked.body.approval_id, tool_input);
    const started = journal.findProgress(this.input.key, 'TOOL_STARTED');
    return started && allowed(tool_input);
  }

  async authorize(tool: Tool, tool_input: string): Promise<Authorization> {
    const judged = await this.scope.run.serialize(() => this.judgeOrAsk(tool, tool_input));
    return typeof judged === 'string' ? this.awaitDecision(judged, tool_input) : judged;
  }

  /** The decision of the rules, or the id of the approval that the call waits for. */
  private async judgeOrAsk(tool: Tool, tool_input: string): Promise<Authorization | string> {
    const { decision, reason, rule } = await this.judge(tool, tool_input);
    const isSuspect = rule?.decision === 'deny';
    const repeated = this.scope.run.repeatedCalls.reasonFor(this.input.key);
    switch (decision) {
      case 'allow':
        if (repeated === undefined) return allowed(tool_input);
        return this.askOrDecide(tool, tool_input, { reason: repeated, repeated, isSuspect });
      case 'deny':
        return denied(
          rule
            ? `This call is not allowed: a rule denies it. ${reason}`
            : `This call is not allowed. ${reason}`,
        );
      case 'ask':
        if (repeated === undefined)
          return this.askOrDecide(tool, tool_input, { reason, isSuspect });
        return this.askOrDecide(tool, tool_input, {
          ...{ reason: `${repeated} ${reason}`, repeated, isSuspect },
        });
    }
  }

  private judge(tool: Tool, tool_input: string): Promise<ToolVerdict> {
    const { interaction, speakers } = this.scope.run;
    const { agent, key } = this.input;
    const about = { interaction, agent: agent.type, speakers: speakers.all };
    const call = { tool, tool_input: judgedArguments(tool_input), ...about };
    return this.scope.run.services.judge.authorize(call, `${interaction.id}/${key}`);
  }

  private async askOrDecide(
    tool: Tool,
    tool_input: string,
    { reason, repeated, isSuspect }: Doubt,
  ): Promise<Authorization | string> {
    switch (this.scope.run.interaction.settings.approval_mode) {
      case 'auto':
        if (isSuspect)
          return denied(`This call may be denied, and approvals are off in this run. ${reason}`);
        return allowed(tool_input, repeated === undefined ? [] : [repeatedCall(repeated)]);
      case 'deny':
        return denied(`This call needs an approval, and approvals are off in this run. ${reason}`);
      case 'ask':
      case 'defer':
        return this.ask(tool, tool_input, reason);
    }
  }

  private async ask(tool: Tool, tool_input: string, reason: string): Promise<string> {
    const { key, agent, call } = this.input;
    const id = this.scope.run.services.ids.make('approval');
    const expires_at = this.scope.run.requestExpiry();
    const { chat_uid } = this.scope.run.interaction;
    const guarded = new GuardedResult(this.scope.run, guardedAgent(agent), 'text');
    const cut: Cut = (text, length) => guarded.cut(text, length);
    const described = await describeAction(tool, tool_input, { chat_uid, cut });
    const action = await guarded.read(described);
    if (guarded.tripwire !== undefined) throw trip(this.scope.run, guarded.tripwire);
    const remarks = guarded.remarks();
    if (remarks.length > 0) await this.scope.append(remarks);
    const event = {
      tool_call_id: call.id,
      tool_name: tool.name,
      tool_input,
      action,
      category: tool.policy.category,
      risk: tool.policy.risk,
      reason,
    };
    const { declared } = tool;
    this.declared = declared;
    const body = { type: 'APPROVAL_REQUIRED', approval_id: id, ...event, expires_at } as const;
    await this.scope.request(
      { id, key, kind: 'approval', agent_id: agent.id, expires_at, event },
      { body, hidden: declared === undefined ? null : { declared } },
    );
    return id;
  }

  private async awaitDecision(approval_id: string, tool_input: string): Promise<Authorization> {
    const { approval_mode } = this.scope.run.interaction.settings;
    if (approval_mode === 'defer' && !this.input.isNested)
      return { state: 'deferred', approval_id };
    const settlement = await this.scope.waitFor(approval_id, 'approval');
    if (settlement.kind !== 'approval') throw new TypeError('not an approval');
    const tool_call_id = this.input.call.id;
    const told = decisionsOf(settlement, { approval_id, tool_call_id });
    return settlement.approved
      ? allowed(inputOf(settlement, tool_input), told)
      : denied(describeRejection(settlement), told);
  }
}

function repeatedCall(message: string): RecordBody {
  return { type: 'NOTICE', code: 'repeated_call', message };
}

function allowed(tool_input: string, told: readonly RecordBody[] = []): Authorization {
  return { state: 'allowed', tool_input, told };
}

export function denied(output: string, told: readonly RecordBody[] = []): Authorization {
  return { state: 'denied', output, told };
}

/** Description for people. Approval is requested even if the tool can't describe its action. */
async function describeAction(tool: Tool, tool_input: string, about: CallAbout): Promise<string> {
  const parsed = parseArguments(tool, tool_input);
  const input = parsed.ok ? parsed.input : {};
  try {
    const said = await tool.summarize?.(input, about);
    return showUnseen(said ?? `Call ${tool.name} with ${showInput(input)}`);
  } catch (error) {
    return `Call ${tool.name} (what it would do can't be told: ${showUnseen(toErrorText(error))})`;
  }
}
