/** Tasks on one board. */
export const MAX_TASKS = 500;
/** Characters. */
export const MAX_TITLE = 500;
export const MAX_DESCRIPTION = 10_000;
