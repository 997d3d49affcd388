import { objectText, parseBounded } from '../../kernel/json/bounded-json.js';
import type { Step } from './step.js';
import type { AiSdkVersion, EventOf, UiChunk } from './ui-chunk.js';

/** Name of the tool whose calls clients answer as if they ran it. */
const ASK_HUMAN = 'ask_human';

interface Call {
  readonly tool_name: string;
  /** The call as the client sees it. */
  readonly part: Extract<UiChunk, { readonly type: 'tool-input-available' }>;
  approval?: EventOf<'APPROVAL_REQUIRED'>;
  decision?: EventOf<'APPROVED'> | EventOf<'REJECTED'>;
  /** True: the agent goes on before the decision. */
  isDeferred?: true;
}

interface CallOptions {
  readonly version: AiSdkVersion;
  readonly client_tools: ReadonlySet<string>;
}

/** Calls of tools as parts of the message, and requests about them. */
export class Calls {
  private readonly calls = new Map<string, Call>();
  /** Questions that are a part of their own. */
  private readonly questions = new Set<string>();

  constructor(
    private readonly step: Step,
    private readonly options: CallOptions,
  ) {}

  call(event: EventOf<'TOOL_CALL'>, isRoot: boolean): readonly UiChunk[] {
    const { id, tool_name, tool_input, agent_id, parent_tool_call_id } = event;
    const isClients = tool_name === ASK_HUMAN || this.options.client_tools.has(tool_name);
    const about = {
      ...(!isRoot && { agent_id }),
      ...(parent_tool_call_id && { parent_tool_call_id }),
    };
    const input = readInput(tool_input);
    const part = {
      ...{ type: 'tool-input-available' as const, toolCallId: id, toolName: tool_name },
      input: input ?? tool_input,
      ...(!isClients && { providerExecuted: true }),
      ...(Object.keys(about).length > 0 && { providerMetadata: { parley: about } }),
    };
    this.calls.set(id, { tool_name, part });
    const isNested = !isRoot || parent_tool_call_id !== undefined;
    const begun = isNested ? this.step.beginNested() : this.step.begin();
    this.step.addCall(id);
    if (input !== undefined) return [...begun, part];
    const errorText = 'The arguments are not valid JSON.';
    return [...begun, { ...part, type: 'tool-input-error', errorText }];
  }

  result(event: EventOf<'TOOL_RESULT'>): readonly UiChunk[] {
    const { id, tool_output, is_error } = event;
    const call = this.calls.get(id);
    if (call?.approval && !call.decision && !is_error) {
      call.isDeferred = true;
      return [];
    }
    this.calls.delete(id);
    return [this.outcome(id, { call, output: tool_output, isError: is_error })];
  }

  /** The outcome of a call that was decided after its agent went on is in a notice. */
  settleDeferred(message: string): readonly UiChunk[] {
    for (const [id, call] of this.calls) {
      if (!call.isDeferred || !message.includes(id)) continue;
      this.calls.delete(id);
      return [this.outcome(id, { call, output: message, isError: false })];
    }
    return [];
  }

  ask(event: EventOf<'APPROVAL_REQUIRED'>): readonly UiChunk[] {
    const call = this.calls.get(event.tool_call_id);
    if (!call) return [];
    call.approval = event;
    if (this.options.version === 5) return this.step.add(approvalPart(event));
    return [this.request(event)];
  }

  decide(event: EventOf<'APPROVED'> | EventOf<'REJECTED'>): readonly UiChunk[] {
    const call = this.calls.get(event.tool_call_id);
    if (!call?.approval) return [];
    call.decision = event;
    const changed = event.type === 'APPROVED' ? this.changeInput(call, event) : [];
    return [...changed, ...this.decision(call.approval, event)];
  }

  question(event: EventOf<'INPUT_REQUIRED'>): readonly UiChunk[] {
    const { request_id, question, options, tool_call_id } = event;
    const asks = tool_call_id === undefined ? undefined : this.calls.get(tool_call_id);
    if (asks?.tool_name === ASK_HUMAN) return [];
    this.questions.add(request_id);
    this.step.addCall(request_id);
    const input = { question, ...(options && { options }) };
    const call = { toolCallId: request_id, toolName: ASK_HUMAN, input };
    return [{ type: 'tool-input-available', ...call }];
  }

  answer({ request_id: toolCallId, answer }: EventOf<'INPUT_RECEIVED'>): readonly UiChunk[] {
    if (!this.questions.delete(toolCallId)) return [];
    if (answer !== null) return [{ type: 'tool-output-available', toolCallId, output: answer }];
    return [{ type: 'tool-output-error', toolCallId, errorText: 'Not answered.' }];
  }

  private outcome(
    toolCallId: string,
    { call, output, isError }: { call: Call | undefined; output: string; isError: boolean },
  ): UiChunk {
    const isDenied = call?.decision?.type === 'REJECTED';
    if (isDenied && this.options.version > 5) return { type: 'tool-output-denied', toolCallId };
    if (isError || isDenied) return { type: 'tool-output-error', toolCallId, errorText: output };
    return { type: 'tool-output-available', toolCallId, output };
  }

  /** The input that runs, where the part can still be changed. */
  private changeInput(
    call: Call,
    { tool_call_id, modified_input: input }: EventOf<'APPROVED'>,
  ): readonly UiChunk[] {
    return input && this.step.hasCall(tool_call_id) ? [{ ...call.part, input }] : [];
  }

  private request(event: EventOf<'APPROVAL_REQUIRED'>, isAutomatic = false): UiChunk {
    const { approval_id: approvalId, tool_call_id: toolCallId, reason } = event;
    const { action, category, risk, expires_at } = event;
    return {
      ...{ type: 'tool-approval-request', approvalId, toolCallId },
      approvalDescriptor: { action, category, risk, reason, expires_at },
      ...(this.options.version > 6 && { reason, ...(isAutomatic && { isAutomatic }) }),
    };
  }

  private decision(
    approval: EventOf<'APPROVAL_REQUIRED'>,
    event: EventOf<'APPROVED'> | EventOf<'REJECTED'>,
  ): readonly UiChunk[] {
    const { version } = this.options;
    if (version === 5) return this.step.add(approvalPart(approval, event));
    if (version === 6) return [];
    const { approval_id: approvalId, by, reason = event.cause } = event;
    const automatic = by.kind === 'system' ? [this.request(approval, true)] : [];
    const approved = event.type === 'APPROVED';
    const told = { approvalId, approved, ...(reason !== undefined && { reason }) };
    return [...automatic, { type: 'tool-approval-response', ...told }];
  }
}

/** For clients that know no approvals: `approved` is null until it is decided. */
function approvalPart(
  event: EventOf<'APPROVAL_REQUIRED'>,
  decided?: EventOf<'APPROVED'> | EventOf<'REJECTED'>,
): UiChunk {
  const { approval_id, tool_call_id, tool_name, tool_input } = event;
  const { action, category, risk, expires_at } = event;
  const data = {
    ...{ approval_id, tool_call_id, tool_name, input: readInput(tool_input) ?? tool_input },
    ...{ action, category, risk, reason: event.reason, expires_at },
    approved: decided ? decided.type === 'APPROVED' : null,
    ...(decided && { by: decided.by, decision_reason: decided.reason ?? decided.cause }),
    ...(decided?.type === 'APPROVED' &&
      decided.modified_input && { modified_input: decided.modified_input }),
  };
  return { type: 'data-approval', id: approval_id, data };
}

/** Undefined if it is not JSON. */
function readInput(text: string): unknown {
  try {
    return parseBounded(objectText(text));
  } catch {
    return undefined;
  }
}
