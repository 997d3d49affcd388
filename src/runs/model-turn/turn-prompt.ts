import type { AppError } from '../../kernel/app-error.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { ModelRequest } from '../../models/model-provider.js';
import type { ResolvedModel } from '../../models/model-registry.js';
import type { AssistantMessage } from '../../protocol/message.js';

export interface SizedRequest {
  readonly request: ModelRequest;
  /** Estimated. */
  readonly tokens: number;
}

/** Builds the requests of one turn, for each model that is tried. */
export interface TurnPrompt {
  /**
   * `refusal`: the model's error for the last request, which was too long for it.
   * @throws AppError `context_overflow`, `input_too_large`
   */
  request(model: ResolvedModel, refusal?: AppError): Promise<SizedRequest> | SizedRequest;
  /** Records that are appended with the completed turn, just before it. */
  entriesFor?(answer: AssistantMessage): readonly Entry[];
}
