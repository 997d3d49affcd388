import type { FinishReason } from '../protocol/events.js';
import type { Usage } from '../protocol/interaction.js';
import type { AssistantMessage, Message } from '../protocol/message.js';

/** A tool as a model sees it; `input_schema` is JSON Schema of an object. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** How hard a model thinks before it speaks, where it can. */
export type Thinking = 'low' | 'medium' | 'high';

/** One turn, asked of a model. */
export interface ModelRequest {
  /** The vendor's name for it, without the provider: `gpt-5-mini`. */
  readonly model: string;
  readonly messages: readonly Message[];
  /** The system prompt. */
  readonly instructions?: string;
  readonly tools?: readonly ModelTool[];
  readonly tool_choice?: ToolChoice;
  /** JSON Schema that the answer's text has to follow. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly max_output_tokens?: number;
  /** The model's own default unless given. */
  readonly thinking?: Thinking;
}

/**
 * What a model does during a turn. Adjacent deltas of one network read may come merged. `index` numbers the tool calls of the turn from 0.
 * The last event is `response_completed`; an iteration that ends without it was cut off.
 */
export type ModelEvent =
  | { readonly type: 'text_delta'; readonly delta: string }
  | { readonly type: 'thinking_delta'; readonly delta: string }
  | {
      readonly type: 'tool_call_started';
      readonly index: number;
      readonly id: string;
      readonly name: string;
    }
  | { readonly type: 'tool_call_args_delta'; readonly index: number; readonly delta: string }
  | {
      readonly type: 'tool_call_ready';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      /** As the model wrote them: hopefully a JSON object. */
      readonly arguments: string;
    }
  | {
      readonly type: 'response_completed';
      readonly message: AssistantMessage;
      readonly finish_reason: FinishReason;
      readonly usage: Usage;
    }
  /** An event of the vendor's that we don't know, or couldn't read. */
  | { readonly type: 'trace'; readonly name: string; readonly detail: unknown };

/** Port: an adapter to a vendor of models. */
export abstract class ModelProvider {
  /** The part before the slash in `openai/gpt-5-mini`. */
  abstract readonly name: string;

  /**
   * Streams one turn. Aborting `signal` closes the request at once; the iteration then throws.
   * @throws ModelError for everything the vendor or the network does wrong, before or in the middle of the stream
   */
  abstract stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
