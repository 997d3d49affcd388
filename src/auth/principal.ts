/** What a principal may do; docs/auth.md describes each. */
export const SCOPES = ['chat', 'decide', 'operate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The authenticated caller of a request. */
export interface Principal {
  readonly tenant_id: string;
  readonly user_id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The API key that it used, if any. */
  readonly key_id?: string;
}

/** The tenant of a server without tenants. */
export const DEFAULT_TENANT = 'default';

/** Whoever reaches a server without authentication. */
export const LOCAL_PRINCIPAL: Principal = {
  tenant_id: DEFAULT_TENANT,
  user_id: 'local',
  scopes: new Set(SCOPES),
};
