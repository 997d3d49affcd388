import { createHash } from 'node:crypto';
import { exactJson } from '../../kernel/json/exact-json.js';
import { rememberPerObject } from '../../kernel/remember-per-object.js';
import type { ModelTool } from '../model-provider.js';
import { foldSchema } from './fold-schema.js';
import { narrowSchema } from './narrow-schema.js';
import { renameProperties } from './property-names.js';

/** A tool in the form that a vendor takes. */
export interface ToolForm {
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** Original names of its properties by those in the schema, where they differ. */
  readonly originals: ReadonlyMap<string, string>;
}

/** For all vendors: an object without combinators at the top, with plain names of properties. */
export const usualForm = rememberPerObject((tool: ModelTool): ToolForm => {
  try {
    const { schema: folded, rules } = foldSchema(tool.input_schema);
    const { schema, originals } = renameProperties(folded);
    const said = rules.map((rule) => renamedIn(rule, originals));
    const description = [tool.description, ...said].filter((text) => text !== '').join('\n');
    return { description, input_schema: schema, originals };
  } catch {
    return openForm(tool); // nested too deeply
  }
});

/** For vendors that take a small part of JSON Schema. */
export const narrowForm = rememberPerObject((tool: ModelTool): ToolForm => {
  const usual = usualForm(tool);
  try {
    return { ...usual, input_schema: narrowSchema(usual.input_schema) };
  } catch {
    return openForm(tool);
  }
});

/** Tells declarations of one name apart. */
export const toolKey = rememberPerObject(({ name, input_schema }: ModelTool): string => {
  const digest = createHash('sha256').update(exactJson(input_schema)).digest('base64');
  return `${name} ${digest}`;
});

function openForm({ description }: ModelTool): ToolForm {
  return { description, input_schema: { type: 'object', properties: {} }, originals: new Map() };
}

/** A rule names properties, which the model knows by their names in the schema. */
function renamedIn(rule: string, originals: ReadonlyMap<string, string>): string {
  return [...originals].reduce((text, [sent, original]) => text.replaceAll(original, sent), rule);
}
