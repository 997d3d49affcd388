import { AppError } from '../../kernel/app-error.js';
import type { ToolCall } from '../../protocol/message.js';
import type { CalledInside, ForkedInside } from '../../tools/core/tool.js';
import type { AskOptions } from '../../agents/agent-context.js';
import { abandonable, perform } from '../effects/effect.js';
import { AskEffect } from '../effects/ask.effect.js';
import { EmitEffect, customBody, metadataBody } from '../effects/emit.effect.js';
import type { EmittedBody } from '../effects/emit.effect.js';
import { guardLongText } from '../guarding/guard-output.js';
import type { ChildAgent } from '../children/child-agent.js';
import { TellEffect, parentOf } from '../effects/tell.effect.js';
import type { Effect } from '../effects/effect.js';
import type { AgentScope } from '../scope/agent-scope.js';
import type { ToolCallInput } from './tool-call-input.js';
import { untilAborted } from '../../kernel/async/promises.js';
import { cutText } from '../../kernel/text/cut-text.js';

/**
 * The effects that a running tool requests through its context. Each is a journaled step; its key
 * is nested in that of the call.
 */
export class NestedSteps {
  private count = 0;
  private metadataCalls = 0;
  private readonly children = new Map<string, ChildAgent>();
  private readonly asking = new Set<Promise<unknown>>();
  /** Aborts when the tool has ended. */
  private readonly over = new AbortController();
  /** Time when the last awaited step was done, in milliseconds. */
  private latest = 0;

  constructor(
    private readonly scope: AgentScope,
    private readonly input: ToolCallInput,
  ) {}

  /** Milliseconds; the same on a replay. `began`: start of the call. */
  now(began: number): number {
    return Math.max(began, this.latest);
  }

  ask(question: string, options: AskOptions): Promise<string | null> {
    const asked = this.perform(this.newQuestion(this.nextKey(), question, options));
    this.asking.add(asked);
    return asked;
  }

  async fork(prompt: string, options: { readonly agent_type?: string }): Promise<ForkedInside> {
    const { agent_id: id, type } = await this.start(prompt, options);
    return { id, type };
  }

  wait(id: string): Promise<string> {
    const child = this.children.get(id);
    if (child) return this.answerOf(child);
    const message = `There is no agent ${JSON.stringify(cutText(id, 64))} that this call has started.`;
    return Promise.reject(new AppError('invalid', 'unknown_child', message));
  }

  tellAgent(text: string, agent_id?: string): Promise<void> {
    const { agent, children } = this.input;
    const to = agent_id === undefined ? parentOf(agent) : children.idOf({ agent_id });
    return this.perform(new TellEffect(this.scope, { key: this.nextKey(), agent, to, text }));
  }

  emit(name: string, data: unknown): Promise<void> {
    return this.send(customBody(name, data));
  }

  setMetadata(key: string, value: unknown): Promise<void> {
    return this.send(metadataBody(key, value, ++this.metadataCalls));
  }

  async runAgent(prompt: string, options: { readonly agent_type?: string }): Promise<string> {
    return this.answerOf(await this.start(prompt, options));
  }

  /**
   * The call is judged, limited and reported to readers like a call of the agent itself, but is not
   * part of its conversation.
   */
  async callTool(name: string, args: string): Promise<CalledInside> {
    const key = this.nextKey();
    const { nest } = this.input;
    const call: ToolCall = {
      id:
        this.scope.run.journal.findProgress(key, 'TOOL_CALL')?.body.id ??
        this.scope.run.callIds.claim(''),
      type: 'function',
      function: { name, arguments: args },
    };
    await this.tell(key, call);
    const parent_call_id = this.input.call.id;
    const nested = { key, call, isNested: true, parent_call_id, refusal: undefined };
    const effect = nest({ ...this.input, ...nested });
    const { output, is_error } = await this.perform(effect);
    return { output, is_error };
  }

  /** The tool has ended: stops the agents that it started. */
  async stopChildren(): Promise<void> {
    await Promise.all([...this.children.values()].map((child) => child.abandon()));
  }

  /** Withdraws the open questions of an ended tool, also those of earlier runs. */
  async closeQuestions(): Promise<void> {
    const { scope } = this;
    if (scope.signal.aborted) return; // the end of the run closes them
    this.over.abort();
    await untilAborted(Promise.all(this.asking), scope.signal);
    for (const key of scope.run.requests.openQuestions(this.input.key))
      await this.newQuestion(key, '', {}).run();
  }

  /**
   * The tool waits for as long as its nested step does. Unless it can be replayed, the run stays in
   * memory meanwhile.
   */
  async whileWaiting<T>(repeatable: boolean, work: () => Promise<T>): Promise<T> {
    if (this.over.signal.aborted) return new Promise(() => {}); // its call already has a result
    const resume = this.scope.run.activity.suspend(repeatable);
    try {
      return await untilAborted(abandonable(work()), this.scope.signal);
    } finally {
      resume();
    }
  }

  /** Logs the call, and resolves once the record is delivered to the folds that count calls. */
  private async tell(key: string, { id, function: fn }: ToolCall): Promise<void> {
    const { scope } = this;
    if (scope.run.journal.findCompletion(key)) return;
    if (!scope.run.journal.findProgress(key, 'TOOL_CALL')) {
      const parent_tool_call_id = this.input.call.id;
      const { agent } = this.input;
      const given = await guardLongText(scope.run, agent, fn.arguments, 'tool_input');
      const { text: tool_input, remarks } = given;
      const called = { id, tool_name: fn.name, tool_input, parent_tool_call_id };
      const body = { type: 'TOOL_CALL', block_id: scope.run.log.newBlockId(), ...called } as const;
      const hidden = tool_input === fn.arguments ? null : ({ withheld: true } as const);
      const told = scope.append([...remarks, { agent_id: agent.id, key, body, hidden }]);
      scope.track(told.then(() => {})); // the end of the run waits for it, and closes the call
      await told;
    }
    await scope.run.journal.deliveryOf(key);
  }

  private async start(
    prompt: string,
    options: { readonly agent_type?: string },
  ): Promise<ChildAgent> {
    const { children, call } = this.input;
    const wanted = { key: this.nextKey(), prompt, options, tool_call_id: call.id };
    const child = await children.fork(wanted);
    this.children.set(child.agent_id, child);
    return child;
  }

  private async answerOf(child: ChildAgent): Promise<string> {
    try {
      return await this.input.children.wait(child);
    } finally {
      this.reach(child.ended_at);
    }
  }

  private send(body: EmittedBody): Promise<void> {
    const { scope, input } = this;
    return this.perform(new EmitEffect(scope, input.agent, { key: this.nextKey(), body }));
  }

  private newQuestion(key: string, question: string, options: AskOptions): AskEffect {
    const { agent, call } = this.input;
    const asking = { key, agent, question, options, tool_call_id: call.id };
    return new AskEffect(this.scope, { ...asking, over: this.over.signal });
  }

  private perform<T>(effect: Effect<T>): Promise<T> {
    return perform(this.scope, {
      key: effect.key,
      label: effect.label,
      matches: (record) => effect.matches(record),
      run: () => effect.run(),
      outcome: (record) => {
        this.reach(record.at);
        return effect.outcome(record);
      },
    });
  }

  private reach(at: string | undefined): void {
    if (at !== undefined) this.latest = Math.max(this.latest, Date.parse(at));
  }

  private nextKey(): string {
    return `${this.input.key}/${++this.count}`;
  }
}
