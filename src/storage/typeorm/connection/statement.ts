export interface Statement {
  readonly text: string;
  /**
   * Under a name each connection plans it only a few times, which halves what a small statement costs. Only for lookups by key: the plan of
   * anything else may have been made for tables that were small, and the embedded database never revises it.
   */
  readonly name?: string;
}

/** A statement and its parameters, `$1` first. */
export type Step = readonly [statement: Statement, values: readonly unknown[]];

export type Row = Record<string, unknown>;

/** What SQL calls active; written out, because a partial index is used only where its predicate is. */
export const IS_ACTIVE = "status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT')";

/** Waits for the chat; of a table `i` say `i.${IS_QUEUED}`. */
export const IS_QUEUED = "status = 'QUEUED'";

/** What ended in the queue keeps its rank. */
export const HAS_BEGUN = 'queue_rank IS NULL';

/** Whether the interaction of the table `i` may have a run: it is active, or queued and to be cancelled. */
export const MAY_RUN = `(i.${IS_ACTIVE} OR i.${IS_QUEUED} AND i.cancel_reason IS NOT NULL)`;
