/** Written out, because a partial index is used only where its predicate occurs. */
export const IS_ACTIVE = "status IN ('RUNNING', 'WAITING_APPROVAL', 'WAITING_INPUT')";

/** Waits for its chat; of a table `i`: `i.${IS_QUEUED}`. */
export const IS_QUEUED = "status = 'QUEUED'";

/** An interaction that ended in the queue keeps its rank. */
export const HAS_BEGUN = 'queue_rank IS NULL';

/** The interaction of the table `i` may have a run: it is active, or queued and to be cancelled. */
export const MAY_RUN = `(i.${IS_ACTIVE} OR i.${IS_QUEUED} AND i.cancel_reason IS NOT NULL)`;
