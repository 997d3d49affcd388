import type { Entry } from '../../event-log/append/run-log.js';
import type { HiddenOf, RecordOf } from '../../protocol/events.js';
import { imageBytes } from '../../protocol/message.js';
import type { Image } from '../../protocol/message.js';
import type { ToolOutcome } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import { closeNested } from './close-nested.js';
import { runClientCall } from './client-call.js';
import { DeferredCall } from './deferred-call.js';
import type { Effect } from '../effects/effect.js';
import { trip } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from './tool-call-input.js';
import { ToolAuthorizer, denied } from './tool-authorizer.js';
import type { Authorization } from './tool-authorizer.js';
import { ToolRun, mayRunAgain } from './tool-run.js';
import type { Executed } from './tool-run.js';
import { untilCallable } from '../requirements/until-met.js';
import { callRefusal, changedRefusal, placeholderRefusal } from './call-refusals.js';
import { OUTCOME_UNKNOWN } from '../../protocol/events.js';

/** Journaled tool call. A tool that is not safe to repeat is started at most once (I4). */
export class ToolEffect implements Effect<ToolOutcome> {
  readonly key: string;
  readonly label: string;
  private readonly toolRun: ToolRun;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ToolCallInput,
  ) {
    this.key = input.key;
    this.label = `the tool ${input.call.function.name}`;
    this.toolRun = new ToolRun(scope, input);
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'TOOL_RESULT' && body.tool_name === this.input.call.function.name;
  }

  async run(): Promise<void> {
    const executed = await this.execute();
    await this.scope.appendOutcome([...executed.told, this.result(executed)]);
  }

  outcome({ body, hidden }: CompletingRecord): ToolOutcome {
    if (body.type !== 'TOOL_RESULT') throw new TypeError('not a tool result');
    const tripwire = hidden && 'tripwire' in hidden ? hidden.tripwire : undefined;
    if (tripwire !== undefined) throw trip(this.scope.run, tripwire);
    const { id: tool_call_id, tool_name, tool_output: output, is_error } = body;
    return { tool_call_id, tool_name, output, is_error };
  }

  /** The input as the model wrote it, even if it is not JSON: the model is then told so. */
  private get toolInput(): string {
    const call = this.scope.run.journal.findProgress(this.key, 'TOOL_CALL');
    return call?.body.tool_input ?? this.input.call.function.arguments;
  }

  private async execute(): Promise<Executed> {
    const { executor, tools } = this.scope.run.services;
    const { name } = this.input.call.function;
    const started = this.scope.run.journal.findProgress(this.key, 'TOOL_STARTED');
    const refusal = this.hasBegun()
      ? undefined
      : (this.input.refusal ?? callRefusal(this.scope, this.input));
    if (refusal !== undefined) return failed(refusal);
    if (this.scope.run.interaction.settings.client_tools.some((tool) => tool.name === name))
      return runClientCall(this.scope, this.input, this.toolInput);
    const usable = executor.check(name, this.toolInput).ok ? tools.get(name) : undefined;
    if (started && !mayRunAgain(started.hidden?.recovery, usable))
      return failed(OUTCOME_UNKNOWN, await closeNested(this.scope.run, this.key));
    const authorizer = new ToolAuthorizer(this.scope, this.input);
    const authorization = await this.authorize(authorizer);
    const { declared } = authorizer;
    if (authorization.state === 'deferred') return this.defer(authorization.approval_id, declared);
    const told = authorization.told.map((body) => this.entryOf(body));
    if (authorization.state === 'denied') return failed(authorization.output, told);
    if (this.isApproved) await untilCallable(this.scope, { name, agent_id: this.input.agent.id });
    const { tool_input } = authorization;
    const checked = executor.check(name, tool_input); // the tool may be missing by now
    if (!checked.ok) return failed(checked.fault, told);
    const startedBefore = started !== undefined;
    const tool = tools.get(name);
    const changed = startedBefore ? undefined : changedRefusal(declared, tool);
    if (changed !== undefined) return failed(changed, told);
    return this.toolRun.execute({ tool, tool_input, told, startedBefore });
  }

  /** A call that a person is asked about waits for the decision, also if its tool is missing. */
  private async authorize(authorizer: ToolAuthorizer): Promise<Authorization> {
    const { executor, tools } = this.scope.run.services;
    const { name } = this.input.call.function;
    const decided = await authorizer.decidedBefore(this.toolInput);
    if (decided) return decided;
    const checked = executor.check(name, this.toolInput);
    if (!checked.ok) return denied(checked.fault);
    const tool = tools.get(name);
    const redacted = placeholderRefusal(tool, this.toolInput);
    return redacted === undefined ? authorizer.authorize(tool, this.toolInput) : denied(redacted);
  }

  /**
   * True if an earlier run has let the call begin: it continues regardless of the current limits.
   */
  private hasBegun(): boolean {
    const { journal } = this.scope.run;
    const beginnings = ['TOOL_STARTED', 'APPROVAL_REQUIRED', 'TOOL_RESULT_REQUIRED'] as const;
    return beginnings.some((type) => journal.findProgress(this.key, type) !== undefined);
  }

  /** True, of a call that was allowed, if a person was asked about it. */
  private get isApproved(): boolean {
    return this.scope.run.journal.findProgress(this.key, 'APPROVAL_REQUIRED') !== undefined;
  }

  /** Defers the call: the agent goes on without the result; the call waits for its approval. */
  private defer(approval_id: string, declared: string | undefined): Executed {
    const { input, toolInput: tool_input } = this;
    this.scope.defer(new DeferredCall(this.scope, { input, approval_id, tool_input, declared }));
    const output =
      'Waiting for approval: a person decides later whether this call runs. Go on without its result; it follows as a note.';
    return { output, is_error: false, duration_ms: 0, told: [], deferred: approval_id };
  }

  private result(execution: Executed): Entry {
    const { id, function: fn } = this.input.call;
    const { isNested } = this.input;
    const admitted = this.scope.run.resultQuota.admit({ call_id: id, isNested }, execution);
    const { output, is_error, duration_ms, truncated, journal, data } = admitted;
    const { blockId } = this.toolRun;
    const { tripwire, deferred, by } = execution;
    const images = tripwire === undefined ? journal?.images : undefined;
    const body: RecordOf<'TOOL_RESULT'> = {
      type: 'TOOL_RESULT',
      id,
      ...(blockId !== undefined && { block_id: blockId }),
      tool_name: fn.name,
      tool_output: output,
      is_error,
      duration_ms,
      ...(truncated && { truncated }),
      ...(data && { data }),
      ...(images && { images: images.map(infoOf) }),
    };
    const hidden: HiddenOf<'TOOL_RESULT'> = {
      ...(tripwire === undefined ? journal : { tripwire }),
      ...(deferred !== undefined && { deferred }),
      ...(by && { by }),
    };
    const isEmpty = Object.keys(hidden).length === 0;
    return { agent_id: this.input.agent.id, key: this.key, body, ...(!isEmpty && { hidden }) };
  }

  /** A notice with the call's key would complete the call. */
  private entryOf(body: Entry['body']): Entry {
    return body.type === 'NOTICE' ? { ...this.entry(body), key: null } : this.entry(body);
  }

  private entry(body: Entry['body']): Entry {
    return { agent_id: this.input.agent.id, key: this.key, body };
  }
}

function infoOf(image: Image): NonNullable<RecordOf<'TOOL_RESULT'>['images']>[number] {
  return { media_type: image.media_type, size_bytes: imageBytes(image) };
}

function failed(output: string, told: readonly Entry[] = []): Executed {
  return { output, is_error: true, duration_ms: 0, told };
}
