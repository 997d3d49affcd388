import { z } from 'zod';
import { MAX_FILE_BYTES } from '../../workspace/read-file.js';

/** A path that a model gives; the workspace validates it. */
export const pathInput = z
  .string()
  .min(1, 'Give a path, such as src/index.ts.')
  .max(4096, 'No path is that long.')
  .describe('A file, relative to the workspace.');

/** Text that can be stored in a file and read back unchanged. */
export const textInput = z
  .string()
  .max(MAX_FILE_BYTES, 'Too long for one file: make it with bash.')
  .refine((text) => !text.includes('\0'), 'No text can have a NUL character in it.')
  .refine((text) => text.isWellFormed(), 'It has half a character in it (a lone surrogate).');
