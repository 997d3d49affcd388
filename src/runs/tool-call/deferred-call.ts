import type { Settlement } from '../../persistence/rows/request-rows.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { decisionsOf, describeRejection, inputOf, deferredNote } from '../closing/call-records.js';
import { OUTCOME_UNKNOWN } from '../../protocol/events.js';
import { changedRefusal } from './call-refusals.js';
import { untilCallable } from '../requirements/until-met.js';
import { closeNested } from './close-nested.js';
import { trip } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from './tool-call-input.js';
import { ToolRun, mayRunAgain } from './tool-run.js';
import type { PassedCall } from './tool-run.js';
import type { ToolRecovery } from '../../tools/core/tool.js';

interface DeferredInput {
  readonly input: ToolCallInput;
  readonly approval_id: string;
  /** Arguments as the model wrote them. */
  readonly tool_input: string;
  /** Declaration of the tool that the person is asked about. */
  readonly declared?: string | undefined;
  /** Set if an earlier run has started the tool, as it was then. */
  readonly started?: { readonly recovery?: ToolRecovery } | undefined;
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
      return this.finish(describeRejection(settlement), this.decisions(settlement));
    const { name } = this.deferred.input.call.function;
    const { tools, executor } = this.scope.run.services;
    const tool_input = inputOf(settlement, this.deferred.tool_input);
    const usable = executor.check(name, tool_input).ok ? tools.get(name) : undefined;
    if (started && !mayRunAgain(started.recovery, usable)) {
      const nested = await closeNested(this.scope.run, this.deferred.input.key);
      return this.finish(OUTCOME_UNKNOWN, nested);
    }
    const told = started ? [] : this.decisions(settlement);
    await untilCallable(this.scope, { name, agent_id: this.deferred.input.agent.id });
    const checked = executor.check(name, tool_input);
    if (!checked.ok) return this.finish(checked.fault, told);
    const tool = tools.get(name);
    const changed = started ? undefined : changedRefusal(this.deferred.declared, tool);
    if (changed !== undefined) return this.finish(changed, told);
    await this.runTool({ tool, tool_input, told, startedBefore: started !== undefined });
  }

  private async runTool(call: PassedCall): Promise<void> {
    const done = await new ToolRun(this.scope, this.deferred.input).execute(call);
    await this.finish(done.output, done.told);
    if (done.tripwire !== undefined) trip(this.scope.run, done.tripwire);
  }

  private async finish(outcome: string, before: readonly Entry[] = []): Promise<void> {
    const { approval_id, input } = this.deferred;
    const { key, agent, call } = input;
    const { id, function: fn } = call;
    const settled = { approval_id, key, agent_id: agent.id, id, tool_name: fn.name };
    await this.scope.appendOutcome([...before, deferredNote(settled, outcome)]);
  }

  private decisions(settlement: Extract<Settlement, { kind: 'approval' }>): Entry[] {
    const { approval_id, input } = this.deferred;
    const { agent, call } = input;
    return decisionsOf(settlement, { approval_id, tool_call_id: call.id }).map((body) => ({
      ...{ agent_id: agent.id, body },
      key: body.type === 'NOTICE' ? null : input.key, // a notice would complete the call
    }));
  }
}
