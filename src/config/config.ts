import type { ApprovalMode } from '../protocol/chat-settings.js';
import type { Prices } from './prices/prices.js';
import type { Variables } from './schema.js';
import type { Secret } from './secrets/secret.js';

/** `DATA_DIR` → `dataDir` */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;

type ReadonlyValue<Value> = Value extends unknown[] | Record<string, unknown>
  ? Readonly<Value>
  : Value;

/** The variables of the schema, each in a field of its name: `dataDir` is `DATA_DIR`. */
export type Settings = {
  readonly [Name in keyof Variables as CamelCase<Name>]: ReadonlyValue<Variables[Name]>;
};

/** Fields with a default that depends on other variables, and fields without a variable. */
interface Derived {
  /** Not empty; `none` is alone. */
  readonly auth: readonly NonNullable<Variables['AUTH']>[number][];
  /** Default model, `<provider>/<name>`; several, separated by commas, are tried in order. */
  readonly model: string;
  /** The reason for this default, for the log. */
  readonly modelReason: string;
  readonly filesDir: string;
  /** Among the allowed modes. */
  readonly approvalMode: ApprovalMode;
  readonly logFormat: NonNullable<Variables['LOG_FORMAT']>;
  /** Prices that apply, from all sources. */
  readonly prices: Prices;
  /** The values of all secret variables. */
  readonly environmentSecrets: readonly { readonly name: string; readonly value: Secret }[];
  /** Any variable, for configuration files that refer to it. */
  readonly variable: (name: string) => string | undefined;
  /**
   * Absolute paths of the server's data, configuration and code, some of which may not exist: no
   * command in a sandbox sees them, and no chat may name a workspace in or around them.
   */
  readonly ownPaths: readonly string[];
  /** The complete environment of commands. */
  readonly commandEnvironment: Readonly<Record<string, string>>;
  /** Probable mistakes, such as a misspelt variable; one sentence each. */
  readonly warnings: readonly string[];
}

type Fields = Omit<Settings, keyof Derived> & Derived;

/** Gives the class below its fields, as a class can't extend a mapped type. */
const WithFields = Object as unknown as new () => Fields;

/** The configuration, checked and frozen. The paths of folders are absolute. */
export class Config extends WithFields {
  constructor(values: Fields) {
    super();
    Object.assign(this, values);
    Object.freeze(this);
  }
}
