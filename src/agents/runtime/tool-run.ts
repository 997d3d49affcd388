import { BlockWriter } from '../../log/block-writer.js';
import type { Json } from '../../log/json.js';
import type { Entry } from '../../log/run-log.js';
import type { ToolExecution } from '../../tools/tool-executor.js';
import type { ToolContext, ToolEvent } from '../../tools/tool.js';
import type { AskOptions } from '../agent-context.js';
import { AskEffect } from './ask.effect.js';
import type { ChildAgent } from './child-agent.js';
import { perform } from './effect.js';
import type { RunScope } from './run-scope.js';
import type { ToolCallInput } from './tool-call-input.js';
import { isRepeatable, ToolStart } from './tool-start.js';
import type { PassedCall } from './tool-start.js';
import { untilAborted } from './until-aborted.js';

/** Characters of a running tool's output that readers get to see before its result. */
const MAX_PREVIEW = 100_000;

/** What came of a call, and what the log is told before that. */
export type Executed = ToolExecution & { readonly told: readonly Entry[] };

/** The running of one call that may run: what the log is told when it starts, and what the tool has while it runs. */
export class ToolRun {
  private output: BlockWriter | undefined;
  /** Steps inside the call so far. */
  private nested = 0;
  private readonly children: ChildAgent[] = [];
  private readonly asking = new Set<Promise<unknown>>();
  /** Aborts when the tool has ended. */
  private readonly over = new AbortController();

  constructor(
    private readonly scope: RunScope,
    private readonly input: ToolCallInput,
  ) {}

  /** The block of the output that readers have seen while it ran. */
  get blockId(): string | undefined {
    return this.output?.id;
  }

  /** Runs it, and answers what came of it and what of `told` the log has not been told with its start. */
  async execute(passed: PassedCall): Promise<Executed> {
    const start = new ToolStart(this.scope, this.input, passed);
    if (!passed.tool.announces_start) await start.record();
    const repeatable = isRepeatable(passed.tool);
    // A person's answer takes its time. What the log says is started and may not run twice is told that it did not begin.
    if (repeatable || passed.tool.announces_start) this.scope.throwIfStopped();
    else this.scope.throwIfUnheard();
    const call = { name: this.input.call.function.name, arguments: passed.tool_input };
    const context = this.context(start, passed);
    const execution = await this.scope.services.executor.execute(call, context);
    await Promise.all(this.children.map((child) => child.abandon()));
    if (execution.still_running) this.scope.unstoppable.add(this.input.call.id);
    await this.closeQuestions();
    if (repeatable) this.scope.signal.throwIfAborted(); // it just runs again
    return { ...execution, told: start.untold };
  }

  /** The tool is over: what it asked, in this run or an earlier one, nobody has to answer any more. */
  async closeQuestions(): Promise<void> {
    const { scope } = this;
    if (scope.signal.aborted) return; // whoever stopped the run closes them
    this.over.abort();
    await untilAborted(Promise.all(this.asking), scope.signal);
    for (const key of scope.openQuestions(this.input.key))
      await this.newQuestion(key, '', {}).run();
  }

  private context(start: ToolStart, passed: PassedCall): ToolContext {
    const { interaction, signal } = this.scope;
    const repeatable = isRepeatable(passed.tool);
    return {
      interaction_id: interaction.id,
      chat_id: interaction.chat_id,
      agent_id: this.input.agent.id,
      tool_call_id: this.input.call.id,
      signal,
      output: (text) => this.preview(text),
      started: (trace) => start.record(trace),
      ask: (question, options = {}) =>
        this.whileWaiting(repeatable, () => this.ask(question, options)),
      run_agent: (prompt, options = {}) =>
        this.whileWaiting(repeatable, () => this.runAgent(prompt, options)),
      tell: (event) => this.tell(event),
      may_show: (toolNames) => this.filterFiles(passed, toolNames),
    };
  }

  private async filterFiles(
    { tool, tool_input }: PassedCall,
    toolNames: readonly string[],
  ): Promise<(path: string) => boolean> {
    const { services, interaction } = this.scope;
    const input = JSON.parse(tool_input || '{}') as Json;
    const call = { tool, tool_input: input, chat_id: interaction.chat_id };
    const judged = { ...call, agent: this.input.agent.type };
    const filter = await services.judge.filterFiles(judged, toolNames);
    return (path) => filter.shows(path);
  }

  private async tell(body: ToolEvent): Promise<void> {
    await this.scope.append([{ agent_id: this.input.agent.id, key: null, body }]);
  }

  /** While what it asked for takes its time, so does the tool: unless it can be replayed, the run stays in memory for it. */
  private async whileWaiting<T>(repeatable: boolean, work: () => Promise<T>): Promise<T> {
    if (this.over.signal.aborted) return new Promise(() => {}); // its call has its result
    const resume = this.scope.suspend(repeatable);
    try {
      return await untilAborted(work(), this.scope.signal);
    } finally {
      resume();
    }
  }

  private ask(question: string, options: AskOptions): Promise<string | null> {
    const asked = perform(this.scope, this.newQuestion(this.nextKey(), question, options));
    this.asking.add(asked);
    return asked;
  }

  private newQuestion(key: string, question: string, options: AskOptions): AskEffect {
    const { agent } = this.input;
    return new AskEffect(this.scope, { key, agent, question, options, over: this.over.signal });
  }

  private async runAgent(prompt: string, options: { agent_type?: string }): Promise<string> {
    const tool_call_id = this.input.call.id;
    const { children } = this.input;
    const child = await children.fork({ key: this.nextKey(), prompt, options, tool_call_id });
    this.children.push(child);
    return children.wait(child);
  }

  private nextKey(): string {
    return `${this.input.key}/${++this.nested}`;
  }

  private preview(text: string): void {
    this.output ??= new BlockWriter(this.scope.log, {
      agent_id: this.input.agent.id,
      type: 'TOOL_OUTPUT_DELTA',
      tool_call_id: this.input.call.id,
    });
    const room = MAX_PREVIEW - this.output.text.length;
    if (room > 0) this.output.push(text.slice(0, room));
  }
}
