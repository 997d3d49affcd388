import { DiscoveryService } from '@nestjs/core';
import type { FinishReason } from '../protocol/events.js';
import type { Usage } from '../protocol/interaction.js';
import type { AssistantMessage, Message } from '../protocol/message.js';
import type { Sampling } from '../protocol/sampling.js';
import type { Thinking } from '../protocol/thinking.js';

/** A tool as the model sees it; `input_schema` is the JSON Schema of an object. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** The request for one model turn. */
export interface ModelRequest extends Sampling {
  /** The vendor's model name, without the provider: `gpt-5-mini`. */
  readonly model: string;
  readonly messages: readonly Message[];
  /** The system prompt. */
  readonly instructions?: string;
  readonly tools?: readonly ModelTool[];
  readonly tool_choice?: ToolChoice;
  /** Names of tools that are kept where a vendor takes fewer than all. */
  readonly preferred_tools?: readonly string[];
  /** JSON Schema that the text of the answer must match. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** For models that think; default: the model's own. A budget is less than `max_output_tokens`. */
  readonly thinking?: Thinking;
}

export type ModelNoticeCode =
  'answer_damaged' | 'model_adapted' | 'tools_left_out' | 'unknown_finish_reason';

/**
 * An event of a model turn. Adjacent deltas of one network read may be merged. `index` numbers the
 * tool calls of the turn from 0. The last event is `response_completed`; if the iteration ends
 * without it, the stream was cut off.
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
      /** The model's raw text. It should be a JSON object, but this is not guaranteed. */
      readonly arguments: string;
    }
  | {
      readonly type: 'response_completed';
      readonly message: AssistantMessage;
      readonly finish_reason: FinishReason;
      /** A count of 0 was not reported. */
      readonly usage: Usage;
    }
  /** Something that people should know about how the turn was asked for. */
  | { readonly type: 'notice'; readonly code: ModelNoticeCode; readonly message: string }
  /** A vendor event that is unknown or could not be parsed. */
  | { readonly type: 'trace'; readonly name: string; readonly detail: unknown };

/** Marks a provider that extends `ModelProvider` as one whose models the server offers. */
export const ModelVendor = DiscoveryService.createDecorator();

/** Port: an adapter to a vendor of models. */
export abstract class ModelProvider {
  /** The part before the slash in `openai/gpt-5-mini`. */
  abstract readonly name: string;

  /**
   * Streams one turn. Aborting `signal` closes the request at once; the iteration then throws.
   * @throws ModelError for every error of the vendor or the network, before or during the stream
   */
  abstract stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
