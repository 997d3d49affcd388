import { BoundedMap } from '../../kernel/bounded-map.js';
import type { ToolLimits } from '../schema/tool-wire.js';

/** Options of a request that an endpoint can do without. */
export type OptionName =
  | 'stream_options'
  | 'reasoning_effort'
  | 'thinking'
  | 'output_config'
  | 'cache_control'
  | 'tool_choice'
  | 'temperature'
  | 'top_p';

/** How requests to one model of one endpoint are built. */
export interface Adaptation extends ToolLimits {
  /** Name of the limit of a turn's tokens. */
  readonly limit_option: 'max_tokens' | 'max_completion_tokens';
  /** The highest limit that is sent. */
  readonly max_limit: number;
  /** Options that are left out. */
  readonly dropped: ReadonlySet<OptionName>;
  /** How an answer of a schema is asked for; `prompt`: in words. */
  readonly answer_format: 'json_schema' | 'json_object' | 'prompt';
  /** The role that instructions have. */
  readonly system_role: 'system' | 'user';
  /** True: the user speaks first, then each in turn. */
  readonly alternate: boolean;
  /** True: the user does not speak right after the results of tools. */
  readonly bridge: boolean;
  /** `short`: ids of calls that are not nine letters and digits are replaced. */
  readonly call_ids: 'any' | 'short';
  /** True: what a model wants back of its messages is sent. */
  readonly returns_kept: boolean;
  /** Fields that each message or call of the model must have. */
  readonly demanded: ReadonlySet<DemandedField>;
}

export type DemandedField = 'reasoning_content' | 'thought_signature';

/** A change of the requests to a model, after a refusal. */
export interface Change {
  /** The same change has the same id: a turn makes it once. */
  readonly id: string;
  /** Shown to operators; completes “From now on …”. */
  readonly description: string;
  /** True: only for the turn that was refused. */
  readonly once?: true;
  readonly apply: (known: Adaptation) => Adaptation;
}

const MAX_MODELS = 256;
/** Changes that one turn may make. A vendor names one tool at a time. */
const MAX_CHANGES = 40;

/** The adaptations that an endpoint's refusals have made necessary, by model. */
export class AdaptationMemory {
  private readonly byModel = new BoundedMap<string, Adaptation>(MAX_MODELS);

  /** @param first the adaptation before any refusal */
  constructor(private readonly first: Adaptation) {}

  of(model: string): Adaptation {
    return this.byModel.get(model) ?? this.first;
  }

  change(model: string, change: Change): void {
    this.byModel.set(model, change.apply(this.of(model)));
  }
}

/** The adaptation of one turn. */
export class TurnAdaptation {
  current: Adaptation;
  private readonly once: Change[] = [];
  /** Ids of changes: a vendor that takes back what it asked for is not followed. */
  private readonly made = new Set<string>();

  constructor(
    private readonly memory: AdaptationMemory,
    private readonly model: string,
  ) {
    this.current = memory.of(model);
  }

  /** False if this turn has made the change, or too many: to ask again would not help. */
  learn(change: Change): boolean {
    if (this.made.has(change.id) || this.made.size >= MAX_CHANGES) return false;
    this.made.add(change.id);
    if (change.once) this.once.push(change);
    else this.memory.change(this.model, change);
    this.current = this.once.reduce((all, { apply }) => apply(all), this.memory.of(this.model));
    return true;
  }
}
