import type { AgUiEvent, AgUiInterrupt, EventOf } from '../ag-ui-event.js';

type Started = Extract<AgUiEvent, { readonly type: 'SUBAGENT_STARTED' }>;

/** The children of the root agent as subagent runs, each named by its `agent_id`. */
export class Subagents {
  /** Parents before their children. */
  private readonly open = new Map<string, Started>();
  /** Begun in this run: others are no parent that the protocol takes. */
  private readonly announced = new Set<string>();

  start(event: EventOf<'AGENT_STARTED'>): readonly AgUiEvent[] {
    const { agent_id: subagentRunId, parent_agent_id, agent_type: name, prompt } = event;
    if (this.announced.has(subagentRunId)) return [];
    const { tool_call_id: parentToolCallId } = event;
    const started: Started = {
      ...{ type: 'SUBAGENT_STARTED', subagentRunId, name, description: prompt },
      ...(this.announced.has(parent_agent_id) && { parentSubagentRunId: parent_agent_id }),
      ...(parentToolCallId !== undefined && { parentToolCallId }),
    };
    this.announced.add(subagentRunId);
    this.open.set(subagentRunId, started);
    return [started];
  }

  complete(event: EventOf<'AGENT_COMPLETED'>): readonly AgUiEvent[] {
    const { agent_id: subagentRunId, status, result } = event;
    if (!this.open.delete(subagentRunId)) return [];
    if (status !== 'completed')
      return [{ type: 'SUBAGENT_ERROR', subagentRunId, message: result, code: status }];
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId, result, outcome: { type: 'success' } }];
  }

  /** Subagents that go on in another run begin anew in it. */
  reopen(): readonly AgUiEvent[] {
    this.announced.clear();
    return [...this.open].map(([id, { parentSubagentRunId: parent, ...started }]) => {
      this.announced.add(id);
      const isKnown = parent !== undefined && this.announced.has(parent);
      return { ...started, ...(isKnown && { parentSubagentRunId: parent }) };
    });
  }

  /** All wait, children first. */
  suspend(interrupts: readonly AgUiInterrupt[]): readonly AgUiEvent[] {
    return this.closeAll((subagentRunId) => {
      const own = interrupts.filter((each) => each.subagentRunId === subagentRunId);
      const interruptIds = own.map(({ id }) => id);
      const outcome = { type: 'suspended', interruptIds } as const;
      return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome };
    });
  }

  /** Fails the subagents that are still open when their interaction has ended. */
  abandon(code: string): readonly AgUiEvent[] {
    const message = 'Ended with its interaction.';
    return this.closeAll((subagentRunId) => {
      return { type: 'SUBAGENT_ERROR', subagentRunId, message, code };
    });
  }

  private closeAll(close: (id: string) => AgUiEvent): readonly AgUiEvent[] {
    const ids = [...this.open.keys()].toReversed();
    this.open.clear();
    return ids.map(close);
  }
}
