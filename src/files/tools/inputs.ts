import { z } from 'zod';

/** An id that a model gives; only files of its chat are found. */
export const fileIdInput = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Give an id as file_list names them.')
  .describe('The id of a file, as file_list names it.');
