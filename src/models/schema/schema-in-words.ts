/** Asks for an answer of this JSON Schema where a vendor has no option for that. */
export function schemaInWords(schema: Readonly<Record<string, unknown>>): string {
  return `Answer with JSON only, which has to match this JSON Schema: ${JSON.stringify(schema)}`;
}
