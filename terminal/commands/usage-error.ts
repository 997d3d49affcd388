/** The command line is wrong: exit code 2. The message says what to do. */
export class UsageError extends Error {}
