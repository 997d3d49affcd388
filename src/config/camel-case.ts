/** `DATA_DIR` → `dataDir` */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

export type CamelCased<T> = { [Name in keyof T & string as CamelCase<Name>]: T[Name] };

/** Renames the variables of an environment to the fields of a `Config`. */
export function camelCased<T extends object>(variables: T): CamelCased<T> {
  const entries = Object.entries(variables).map(([name, value]) => [camelCase(name), value]);
  return Object.fromEntries(entries) as CamelCased<T>;
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
