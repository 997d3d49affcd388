import { AppError } from '../kernel/app-error.js';

/** An agent that went round its loop as often as it may. */
export class MaxIterations extends AppError {
  constructor(limit: number) {
    super(
      'unprocessable',
      'max_iterations',
      `The agent was not done after ${limit} turns. Send another message to let it go on, or start with a higher max_iterations.`,
    );
  }
}
