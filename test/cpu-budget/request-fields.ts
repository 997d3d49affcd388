import { readFileSync } from 'node:fs';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Parameter {
  readonly in: string;
  readonly name: string;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Route {
  readonly method: string;
  readonly path: string;
}

/** A field of a JSON body; `wrap` makes the body from the JSON of its value. */
export interface RequestField extends Route {
  readonly name: string;
  readonly takesText: boolean;
  readonly wrap: (json: string) => string;
}

/** A parameter of the query, a header or a part of the path. */
export interface RequestParameter extends Route {
  readonly place: string;
  readonly name: string;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Each field of each body that the API document names, those of nested classes too.
 * @param bodies valid bodies, by method and path: a field comes with the others of its body
 */
export function requestFields(bodies: Readonly<Record<string, Values>>): RequestField[] {
  const document = readDocument();
  return operationsOf(document).flatMap(({ method, path, operation }) => {
    const schema = operation.requestBody?.content['application/json']?.schema;
    const route = `${method} ${path}`;
    return fieldsOf(document, schema, bodies[route] ?? {}).map(({ name, ...field }) => ({
      name: `${route} ${name}`,
      ...{ method, path, ...field },
    }));
  });
}

/** Each parameter that the API document names. */
export function requestParameters(): RequestParameter[] {
  return operationsOf(readDocument()).flatMap(({ method, path, operation }) =>
    (operation.parameters ?? []).map(({ in: place, name }) => ({ method, path, place, name })),
  );
}

function readDocument(): ApiDocument {
  return JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as ApiDocument;
}

function operationsOf({ paths }: ApiDocument) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => ({
      ...{ method: verb.toUpperCase(), path, operation },
    })),
  );
}

type Field = Pick<RequestField, 'name' | 'takesText' | 'wrap'>;

function fieldsOf(document: ApiDocument, given: Schema | undefined, body: Values): Field[] {
  const schema = resolve(document, given);
  return Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => {
    const { [name]: known, ...rest } = body;
    const others = JSON.stringify(rest).slice(1, -1);
    const wrap = (json: string): string =>
      `{${others && `${others},`}${JSON.stringify(name)}:${json}}`;
    const item = property.items;
    const example = ((item ? (known as unknown[])?.[0] : known) ?? {}) as Values;
    const inner = fieldsOf(document, item ?? property, example).map((field) => ({
      ...field,
      name: `${name}.${field.name}`,
      wrap: (json: string) => wrap(item ? `[${field.wrap(json)}]` : field.wrap(json)),
    }));
    return [{ name, takesText: takesText(item ?? property), wrap }, ...inner];
  });
}

function takesText({ type }: Schema): boolean {
  return type === 'string' || type === 'object';
}

function resolve(document: ApiDocument, schema: Schema | undefined): Schema | undefined {
  const ref = schema?.$ref ?? schema?.allOf?.[0]?.$ref;
  return ref ? document.components.schemas[ref.split('/').at(-1)!] : schema;
}
