/**
 * A run is an interaction, or the part of it after it has waited: `<interaction>.<seq>`, with the
 * seq of the last record before it. Read back, so nothing is remembered.
 */
export interface RunId {
  readonly interaction_id: string;
  /** 0: it begins with the interaction. */
  readonly after: number;
}

const SHAPE = /^([A-Za-z0-9_-]{1,64})(?:\.([1-9]\d{0,9}))?$/;

export function formatRunId({ interaction_id, after }: RunId): string {
  return after > 0 ? `${interaction_id}.${after}` : interaction_id;
}

/** Undefined if it is none. */
export function parseRunId(id: string): RunId | undefined {
  const [, interaction_id, after = '0'] = SHAPE.exec(id) ?? [];
  return interaction_id === undefined ? undefined : { interaction_id, after: Number(after) };
}
