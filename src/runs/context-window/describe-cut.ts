import type { ContextCut } from './context-mark.js';

export interface DescribedCut {
  /** `<provider>/<name>` */
  readonly model: string;
  /** How the conversation was sent so far, and how it is sent from now on. */
  readonly last: ContextCut;
  readonly next: ContextCut;
  /** Tokens that a request has with each. */
  readonly before: number;
  readonly after: number;
}

/** What readers are told of it. */
export function describeCut({ model, last, next, before, after }: DescribedCut): {
  code: 'context_compacted' | 'context_cut';
  message: string;
} {
  const sizes = `A turn for ${model} has about ${after} tokens now instead of ${before}.`;
  const dropped = next.from - last.from;
  if (dropped === 0)
    return {
      code: 'context_cut',
      message: `The conversation grew long, so large outputs of earlier tool calls are sent to the model as references, which the tool read opens. ${sizes}`,
    };
  if (next.summary === null)
    return {
      code: 'context_cut',
      message: `The conversation grew too long, so its ${oldest(next.from)} not sent to the model any more. ${sizes}`,
    };
  return {
    code: 'context_compacted',
    message: `The conversation grew long, so its ${oldest(next.from)} sent to the model as a summary. ${sizes}`,
  };
}

function oldest(count: number): string {
  return count === 1 ? 'oldest message is' : `${count} oldest messages are`;
}
