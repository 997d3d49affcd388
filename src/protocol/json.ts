/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** The type with all its properties and arrays read-only, at any depth. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;
