import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToolProvider } from '../tools/core/tool-provider.decorator.js';
import { Tool } from '../tools/core/tool.js';
import type { ToolPolicy } from '../tools/core/tool.js';

export const TEXT_TOOL = 'keep_text';
export const NUMBER_TOOL = 'word_for';

/** The words that `word_for` knows; a model can only have them from its result. */
export const WORDS: readonly string[] = ['quillwort', 'sandpiper', 'larkspur'];

const POLICY: ToolPolicy = {
  category: 'compute',
  read_only: true,
  risk: 'low',
  recovery: 'rerun',
};

const textInput = z.object({ text: z.string().describe('The text, unchanged.') });

@ToolProvider()
@Injectable()
export class KeepTextTool extends Tool<z.infer<typeof textInput>> {
  readonly name = TEXT_TOOL;
  readonly description = 'Keeps a text.';
  readonly input = textInput;
  readonly policy = POLICY;

  execute(): string {
    return 'The text is kept.';
  }
}

const numberInput = z.object({ number: z.int().min(1).max(WORDS.length) });

@ToolProvider()
@Injectable()
export class WordForTool extends Tool<z.infer<typeof numberInput>> {
  readonly name = NUMBER_TOOL;
  readonly description = 'Tells the word for a number from 1 to 3.';
  readonly input = numberInput;
  readonly policy = POLICY;

  execute({ number }: z.infer<typeof numberInput>): string {
    return `The word for ${number} is ${WORDS[number - 1]}.`;
  }
}
