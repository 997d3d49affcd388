import { AppError } from '../../kernel/app-error.js';
import type { AgentHandle, AgentIdentity, ForkOptions } from '../../agents/agent-context.js';
import { abandonable, perform } from '../effects/effect.js';
import { ChildAgent } from './child-agent.js';
import type { RunAgent } from './child-agent.js';
import { ForkEffect } from '../effects/fork.effect.js';
import type { ForkedAgent } from '../effects/fork.effect.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** Default type of a child agent: every server has it, and it suits any task. */
const DEFAULT_TYPE = 'react';

/** A requested child; `key` is the key of its fork, and becomes its path. */
interface WantedChild {
  readonly key: string;
  readonly prompt: string;
  readonly options: ForkOptions;
  readonly tool_call_id?: string;
}

interface ChildrenOptions {
  readonly parent: AgentIdentity;
  readonly runAgent: RunAgent;
}

/** The children of one agent. */
export class Children {
  private readonly byId = new Map<string, ChildAgent>();
  private isOver = false;

  constructor(
    private readonly scope: AgentScope,
    private readonly options: ChildrenOptions,
  ) {}

  /** @throws AppError `too_many_agents`, `unknown_agent` */
  fork({ key, options, ...wanted }: WantedChild): Promise<ChildAgent> {
    const { agent_type = DEFAULT_TYPE, metadata, budget, ...settings } = options;
    const { scope } = this;
    const { parent } = this.options;
    const effect = new ForkEffect(scope, {
      ...{ key, parent, agent_type, settings, metadata, budget },
      ...wanted,
    });
    return abandonable(perform(scope, effect).then((forked) => this.start(key, forked)));
  }

  /** @throws AgentFailed when it has no answer */
  wait(child: AgentHandle): Promise<string> {
    if (this.scope.signal.aborted) return new Promise(() => {});
    return abandonable(this.answerOf(child));
  }

  /** @throws AppError `unknown_child` */
  idOf({ agent_id }: Pick<AgentHandle, 'agent_id'>): string {
    return this.find(agent_id, 'tell').agent_id;
  }

  /** Children of a deferred call: they end with the call, not when the agent returns. */
  ofDeferredCall(): Children {
    return new Children(this.scope, this.options);
  }

  /** The agent has returned: children that it does not wait for are stopped. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all([...this.byId.values()].map((child) => child.abandon()));
  }

  private start(path: string, forked: ForkedAgent): ChildAgent {
    const child = new ChildAgent(this.scope, { path, forked, runAgent: this.options.runAgent });
    this.byId.set(child.agent_id, child);
    this.scope.run.children.set(child.agent_id, child);
    if (this.isOver) void child.abandon();
    else child.start();
    return child;
  }

  private async answerOf({ agent_id }: AgentHandle): Promise<string> {
    return this.find(agent_id, 'wait').answer();
  }

  private find(agent_id: string, method: string): ChildAgent {
    const child = this.byId.get(agent_id);
    if (child) return child;
    throw new AppError(
      'internal',
      'unknown_child',
      `${method} was given the agent ${agent_id}, which this agent has not forked. Pass what fork answered.`,
    );
  }
}
