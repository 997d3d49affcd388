import { readFileSync } from 'node:fs';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A field of a JSON body; `wrap` makes the body from the JSON of its value. */
export interface RequestField {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly wrap: (json: string) => string;
}

/** Each field of each body that the API document names, those of nested classes too. */
export function requestFields(): RequestField[] {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as ApiDocument;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([verb, operation]) => {
      const schema = operation.requestBody?.content['application/json']?.schema;
      const method = verb.toUpperCase();
      return fieldsOf(document, schema, 0).map(({ name, wrap }) => ({
        name: `${method} ${path} ${name}`,
        ...{ method, path, wrap },
      }));
    }),
  );
}

type Field = Pick<RequestField, 'name' | 'wrap'>;

function fieldsOf(document: ApiDocument, given: Schema | undefined, depth: number): Field[] {
  const schema = resolve(document, given);
  if (!schema?.properties || depth > 3) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const wrap = (json: string): string => `{${JSON.stringify(name)}:${json}}`;
    const item = property.items;
    const inner = fieldsOf(document, item ?? property, depth + 1).map((field) => ({
      name: `${name}.${field.name}`,
      wrap: (json: string) => wrap(item ? `[${field.wrap(json)}]` : field.wrap(json)),
    }));
    return [{ name, wrap }, ...inner];
  });
}

function resolve(document: ApiDocument, schema: Schema | undefined): Schema | undefined {
  const ref = schema?.$ref ?? schema?.allOf?.[0]?.$ref;
  return ref ? document.components.schemas[ref.split('/').at(-1)!] : schema;
}
