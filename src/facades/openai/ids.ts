/**
 * Ids of OpenAI's objects are made of ours, and read back: nothing is remembered. A part of an
 * interaction, after it has asked for something, is an answer of its own: the seq is that of the
 * last record before it.
 */
export interface AnswerId {
  readonly interaction_id: string;
  /** 0: it begins with the interaction. */
  readonly after: number;
}

const RESPONSE = /^resp_([A-Za-z0-9_-]{1,64})(?:\.([1-9]\d{0,9}))?$/;

export function formatResponseId({ interaction_id, after }: AnswerId): string {
  return `resp_${interaction_id}${after > 0 ? `.${after}` : ''}`;
}

/** Undefined if it is none. */
export function parseResponseId(id: string): AnswerId | undefined {
  const [, interaction_id, after = '0'] = RESPONSE.exec(id) ?? [];
  return interaction_id === undefined ? undefined : { interaction_id, after: Number(after) };
}

export function formatCompletionId({ interaction_id, after }: AnswerId): string {
  return `chatcmpl-${interaction_id}${after > 0 ? `.${after}` : ''}`;
}

/** Ends with the interaction, as clients send nothing else back. */
export function formatCallId(call_id: string, interaction_id: string): string {
  return `${call_id}--${interaction_id}`;
}

/** Undefined if it is none of ours. */
export function parseCallId(
  id: string,
): { readonly call_id: string; readonly interaction_id: string } | undefined {
  const at = id.lastIndexOf('--');
  return at < 1 ? undefined : { call_id: id.slice(0, at), interaction_id: id.slice(at + 2) };
}
