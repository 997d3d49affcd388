import type { Settlement } from '../../persistence/rows/request-rows.js';
import type { Entry } from '../../event-log/append/run-log.js';
import {
  decisionOf,
  describeRejection,
  inputOf,
  deferredNote,
  OUTCOME_UNKNOWN,
} from './call-records.js';
import { trip } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from './tool-call-input.js';
import { ToolRun, isRepeatable } from './tool-run.js';
import type { Tool } from '../../tools/tool.js';

interface DeferredInput {
  readonly input: ToolCallInput;
  readonly approval_id: string;
  /** As the model wrote it. */
  readonly tool_input: string;
  /** True if an earlier run has started the tool. */
  readonly started?: boolean;
}

/**
 * A call whose agent goes on without its result: it runs when it is approved, and reports its
 * outcome to the agent in a note.
 */
export class DeferredCall {
  private readonly deferred: DeferredInput;

  constructor(
    private readonly scope: AgentScope,
    deferred: DeferredInput,
  ) {
    const children = deferred.input.children.ofDeferredCall();
    this.deferred = { ...deferred, input: { ...deferred.input, children } };
  }

  async run(): Promise<void> {
    const { approval_id, started } = this.deferred;
    const settlement = await this.scope.waitFor(approval_id, 'approval');
    if (settlement.kind !== 'approval') return;
    if (!settlement.approved)
      return this.finish(describeRejection(settlement), [this.decision(settlement)]);
    const { name } = this.deferred.input.call.function;
    const tool = this.scope.run.services.tools.find(name);
    const told = started ? [] : [this.decision(settlement)];
    if (!tool) return this.finish(this.scope.run.services.tools.describeUnknown(name), told);
    if (started && !isRepeatable(tool)) {
      await new ToolRun(this.scope, this.deferred.input).closeQuestions();
      return this.finish(OUTCOME_UNKNOWN);
    }
    await this.runTool(tool, settlement, told);
  }

  private async runTool(
    tool: Tool,
    settlement: Extract<Settlement, { kind: 'approval' }>,
    told: readonly Entry[],
  ): Promise<void> {
    const { input, started: startedBefore = false } = this.deferred;
    const tool_input = inputOf(settlement, this.deferred.tool_input);
    const run = new ToolRun(this.scope, input);
    const done = await run.execute({ tool, tool_input, told, startedBefore });
    await this.finish(done.output, done.told);
    if (done.tripwire !== undefined) trip(this.scope, done.tripwire);
  }

  private async finish(outcome: string, before: readonly Entry[] = []): Promise<void> {
    const { approval_id, input } = this.deferred;
    const { key, agent, call } = input;
    const { id, function: fn } = call;
    const settled = { approval_id, key, agent_id: agent.id, id, tool_name: fn.name };
    await this.scope.appendOutcome([...before, deferredNote(settled, outcome)]);
  }

  private decision(settlement: Extract<Settlement, { kind: 'approval' }>): Entry {
    const { approval_id, input } = this.deferred;
    const body = decisionOf(settlement, { approval_id, tool_call_id: input.call.id });
    return { agent_id: input.agent.id, key: input.key, body };
  }
}
