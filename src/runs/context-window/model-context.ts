import type { Config } from '../../config/config.js';
import { AppError } from '../../kernel/app-error.js';

/** Context windows of the models, as configured, and the strategy when they are exceeded. */
type ContextSettings = Pick<Config, 'contextStrategy' | 'modelContextTokens' | 'modelContexts'>;

/** Tokens reserved for an answer without a limit of its own. */
const ANSWER = 8_192;

interface BudgetOptions {
  /** `<provider>/<name>` */
  readonly model: string;
  readonly answer?: number | undefined;
  /** The window at which the server of the model has cut a prompt. */
  readonly observed?: number | undefined;
}

/** Token budget of a request to this model, so that there is room for its answer. */
export function requestBudget(
  settings: ContextSettings,
  { model, answer = ANSWER, observed = Infinity }: BudgetOptions,
): number {
  const { modelContexts, modelContextTokens } = settings;
  const context = modelContexts?.[model] ?? Math.min(modelContextTokens, observed);
  return Math.floor(context - Math.min(answer, context / 4));
}

interface Overflow {
  /** `<provider>/<name>` */
  readonly model: string;
  readonly tokens: number;
  readonly budget: number;
}

/** The error when nothing more can be omitted. */
export function contextOverflow({ model, tokens, budget }: Overflow): AppError {
  return overflow(
    `This turn needs about ${tokens} tokens, and ${budget} fit ${model}, although all that can be left out is. ${ADVICE}`,
  );
}

/** The error when the provider refuses even a shorter request; its count overrides our estimate. */
export function refusedOverflow(model: string, cause: AppError): AppError {
  return overflow(
    `${model} does not take so long a conversation: ${cause.message} ${ADVICE}`,
    cause,
  );
}

/** The notice of a prompt that the server of a model has cut without a word. */
export function promptCut(
  model: string,
  { tokens, counted }: { readonly tokens: number; readonly counted: number },
): string {
  return `${model} has read only ${counted} tokens of a prompt of about ${tokens}: its server cuts what exceeds its context window. Enlarge the window there (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or name it in MODEL_CONTEXTS.`;
}

const ADVICE =
  'Send a shorter message, offer fewer tools, or use a model with a larger context; if it takes more than the server knows, raise MODEL_CONTEXT_TOKENS or name it in MODEL_CONTEXTS.';

function overflow(message: string, cause?: AppError): AppError {
  return new AppError('too_large', 'context_overflow', message, { cause });
}
