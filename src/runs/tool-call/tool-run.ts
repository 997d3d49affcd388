import { BlockWriter } from '../../event-log/append/block-writer.js';
import type { Decider } from '../../protocol/events.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { judgedArguments } from '../../tools/core/check-arguments.js';
import type { ToolExecution } from '../../tools/core/tool-executor.js';
import type { ToolContext, ToolEvent, ToolRecovery, Tool } from '../../tools/core/tool.js';
import { ToolWorkspace } from '../../tools/core/tool-workspace.js';
import { GuardedResult, guardedAgent } from '../guarding/guard-output.js';
import { NestedSteps } from './nested-steps.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { toldBody } from './told-event.js';
import type { ToolCallInput } from './tool-call-input.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { ProcessTrace } from '../../workspace/processes/process-trace.js';

/** Maximum number of characters of a running tool's output that readers see before its result. */
const MAX_PREVIEW = 100_000;

type AgentField =
  'agent_id' | 'agent_type' | 'agent_description' | 'parent_agent_id' | 'turn' | 'metadata';
type StepName =
  'ask' | 'emit' | 'set_metadata' | 'run_agent' | 'fork' | 'wait' | 'tell_agent' | 'call_tool';

/** The result of a call, and the entries that precede it in the log. */
export type Executed = ToolExecution & {
  readonly told: readonly Entry[];
  /** Reason to end the run with this result. */
  readonly tripwire?: string | undefined;
  /** The approval that the call still waits for. */
  readonly deferred?: string;
  /** The author of the result, if a client ran the call. */
  readonly by?: Decider;
};

/** Runs one authorized call: logs its start, and gives the tool its context. */
export class ToolRun {
  private output: BlockWriter | undefined;
  private readonly steps: NestedSteps;
  private readonly guarded: GuardedResult;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ToolCallInput,
  ) {
    this.steps = new NestedSteps(scope, input);
    this.guarded = new GuardedResult(scope.run, guardedAgent(input.agent));
  }

  /** The block of the output that readers saw while it ran. */
  get blockId(): string | undefined {
    return this.output?.id;
  }

  /**
   * Runs the call. Returns its outcome, and the entries of `told` that were not logged with its
   * start.
   */
  async execute(passed: PassedCall): Promise<Executed> {
    const start = new ToolStart(this.scope, this.input, passed);
    if (!passed.tool.announces_start) await start.record();
    const repeatable = isRepeatable(passed.tool);
    // A person's answer takes its time. What the log says is started and may not run twice is told
    // that it did not begin.
    if (repeatable || passed.tool.announces_start) this.scope.throwIfStopped();
    else this.scope.throwUnlessWritable();
    const call = { name: this.input.call.function.name, arguments: passed.tool_input };
    const context = this.context(start, passed);
    const computed = this.scope.run.journal.compute(this.input.key);
    const { guarded } = this;
    const { services, interaction } = this.scope.run;
    const execution = await services.tracer.within(
      interaction,
      ['tool', interaction.epoch, this.input.call.id],
      () => services.executor.execute(call, context, guarded),
    );
    const { duration_ms } = execution;
    services.telemetry.emit('tool_returned', { tool: call.name, duration_ms });
    computed();
    if (execution.is_error) this.noteFailure(call.name, execution);
    await this.steps.stopChildren();
    if (execution.still_running)
      this.scope.run.unstoppable.set(this.input.call.id, this.input.call.function.name);
    await this.steps.closeQuestions();
    if (repeatable) this.scope.signal.throwIfAborted(); // it just runs again
    return {
      ...execution,
      told: [...start.untold, ...guarded.remarks()],
      tripwire: guarded.tripwire,
    };
  }

  private noteFailure(tool: string, { duration_ms }: ToolExecution): void {
    const { id: tool_call_id } = this.input.call;
    const message = `The tool ${tool} failed`;
    this.scope.run.services.logger.debug({ message, tool_call_id, duration_ms });
  }

  private context(start: ToolStart, passed: PassedCall): ToolContext {
    const { run, signal, resources } = this.scope;
    const { interaction } = run;
    const repeatable = isRepeatable(passed.tool);
    return {
      interaction_id: interaction.id,
      chat_id: interaction.chat_id,
      chat_uid: interaction.chat_uid,
      ...this.agentOf(),
      tool_call_id: this.input.call.id,
      parent_tool_call_id: this.input.parent_call_id ?? null,
      workspace: this.workspaceOf(passed),
      signal,
      resources,
      cut: (text, length) => this.guarded.cut(text, length),
      output: (text) => this.preview(text),
      started: (trace) => start.record(trace),
      ...this.stepsOf(repeatable),
      earlier_output: (id) => this.scope.run.outputs.find(id),
      now: async () => this.steps.now(await start.began()),
      tell: (event) => this.tell(event),
      read_metadata: () => run.metadata.current,
      may_show: (toolNames) => this.filterFiles(passed, toolNames),
    };
  }

  private agentOf(): Pick<ToolContext, AgentField> {
    const { id: agent_id, type: agent_type, parent_id, metadata } = this.input.agent;
    const { turns } = this.scope.run.conversationOf(agent_id);
    const agent_description = this.scope.run.services.agents.find(agent_type)?.type.description;
    return {
      ...{ agent_id, agent_type, agent_description: agent_description ?? '' },
      ...{ parent_agent_id: parent_id, turn: turns, metadata },
    };
  }

  private workspaceOf(passed: PassedCall): ToolWorkspace {
    const { services, interaction } = this.scope.run;
    const maySee = (tool: string) => this.filterFiles(passed, [tool]);
    const { workspaces } = services;
    return new ToolWorkspace({ workspaces, chat_uid: interaction.chat_uid, maySee });
  }

  private stepsOf(repeatable: boolean): Pick<ToolContext, StepName> {
    const { steps } = this;
    const waiting = <T>(work: () => Promise<T>) => steps.whileWaiting(repeatable, work);
    return {
      ask: (question, options = {}) => waiting(() => steps.ask(question, options)),
      emit: (name, data) => waiting(async () => steps.emit(name, data)),
      set_metadata: (key, value) => waiting(async () => steps.setMetadata(key, value)),
      run_agent: (prompt, options = {}) => waiting(() => steps.runAgent(prompt, options)),
      fork: (prompt, options = {}) => waiting(() => steps.fork(prompt, options)),
      wait: (id) => waiting(() => steps.wait(id)),
      tell_agent: (text, id) => waiting(async () => steps.tellAgent(text, id)),
      call_tool: (name, args) => waiting(() => steps.callTool(name, args)),
    };
  }

  private async filterFiles(
    { tool, tool_input }: PassedCall,
    toolNames: readonly string[],
  ): Promise<(path: string) => boolean> {
    const { services, interaction } = this.scope.run;
    const speakers = this.scope.run.speakers.all;
    const call = { tool, tool_input: judgedArguments(tool_input), interaction, speakers };
    const judged = { ...call, agent: this.input.agent.type };
    const filter = await services.judge.filterFiles(judged, toolNames);
    return (path) => filter.shows(path);
  }

  private async tell(event: ToolEvent): Promise<void> {
    const body = await toldBody(event, (text) => this.guarded.read(text));
    await this.scope.append([{ agent_id: this.input.agent.id, key: null, body }]);
  }

  private preview(text: string): void {
    this.output ??= new BlockWriter(this.scope.run.log, {
      agent_id: this.input.agent.id,
      type: 'TOOL_OUTPUT_DELTA',
      tool_call_id: this.input.call.id,
    });
    const room = MAX_PREVIEW - this.output.text.length;
    const shown = room > 0 ? this.guarded.show(text) : '';
    if (shown !== '') this.output.push(shown.slice(0, room));
  }
}

/** A call that may run. */
export interface PassedCall {
  readonly tool: Tool;
  /** The input that runs: JSON text. */
  readonly tool_input: string;
  /** Entries about the decision that are not logged yet. */
  readonly told: readonly Entry[];
  /** True if an earlier run has started it. */
  readonly startedBefore: boolean;
}

/** The moment from which a call's effect may have happened (I4). */
class ToolStart {
  private isRecorded: boolean;
  private recorded: Promise<readonly LogRecord[]> | undefined;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ToolCallInput,
    private readonly passed: PassedCall,
  ) {
    this.isRecorded = passed.startedBefore;
  }

  /** Entries that are still to be logged. */
  get untold(): readonly Entry[] {
    return this.isRecorded ? [] : this.passed.told;
  }

  /** Start of the call, in any run, in milliseconds. */
  async began(): Promise<number> {
    const earlier = this.scope.run.journal.findProgress(this.input.key, 'TOOL_STARTED');
    const record = earlier ?? (await this.recorded)?.at(-1);
    if (!record) throw new TypeError('the call has not begun');
    return Date.parse(record.at);
  }

  /**
   * Commits TOOL_STARTED before the effect begins; a tool without an effect does not wait for the
   * commit.
   */
  async record(trace?: ProcessTrace): Promise<void> {
    if (this.isRecorded) return;
    this.isRecorded = true;
    const { agent, key, call } = this.input;
    const body = { type: 'TOOL_STARTED', id: call.id, tool_name: call.function.name } as const;
    const { recovery } = this.passed.tool.policy;
    const hidden = { recovery, ...(trace && { trace }) };
    const entry = { agent_id: agent.id, key, body, hidden };
    this.recorded = this.scope.append([...this.passed.told, entry]);
    if (hasNoEffect(this.passed.tool)) this.scope.track(this.recorded.then(() => {}));
    else await this.recorded;
  }
}

/** True if the tool itself has no effect: its actions through `ctx` are separate steps. */
function hasNoEffect({ policy }: Tool): boolean {
  return policy.recovery === 'replay' || (policy.recovery === 'rerun' && policy.read_only);
}

function isRepeatable({ policy }: Tool): boolean {
  return policy.recovery !== 'report';
}

/**
 * True if a call that an earlier run started may be made again: both as its tool was then and as it
 * is now (I4). `tool`: undefined if it is missing or does not take the arguments any more; then
 * only a `rerun` tool may be said to be unavailable, as its effect does not matter.
 */
export function mayRunAgain(before: ToolRecovery | undefined, tool: Tool | undefined): boolean {
  if (!tool) return before === 'rerun';
  return before !== undefined && before !== 'report' && isRepeatable(tool);
}
