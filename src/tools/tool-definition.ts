import { z } from 'zod';
import type { ModelTool } from '../models/model-provider.js';
import { checkRetries } from './retries.js';
import type { Tool } from './tool.js';

/** What every vendor accepts as a function's name. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The tool as a model sees it; `input_schema` is JSON Schema 2020-12.
 * @throws Error if a model could not be offered the tool
 */
export function defineTool(tool: Tool): ModelTool {
  const { name, description } = tool;
  if (!NAME.test(name))
    throw new Error(
      `The tool name ${JSON.stringify(name)} is not usable: take 1 to 64 letters, digits, "_" or "-".`,
    );
  checkRetries(tool);
  return { name, description, input_schema: inputSchema(tool) };
}

function inputSchema({ name, input, input_schema }: Tool): ModelTool['input_schema'] {
  const { $schema: _, ...schema } = input_schema ?? toJsonSchema(name, input);
  if (schema.type !== 'object')
    throw new Error(`The input of the tool "${name}" is not an object: declare it with z.object.`);
  return schema;
}

function toJsonSchema(name: string, input: Tool['input']) {
  try {
    return z.toJSONSchema(input, { io: 'input' });
  } catch (cause) {
    throw new Error(
      `The input of the tool "${name}" has no JSON Schema: use types that JSON can carry.`,
      { cause },
    );
  }
}
