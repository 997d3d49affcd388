/** Rights of a principal; docs/auth.md describes each. */
export const SCOPES = ['chat', 'decide', 'operate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The authenticated caller of a request. */
export interface Principal {
  readonly tenant_id: string;
  readonly user_id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The API key that it used, if any. */
  readonly key_id?: string;
  /** End of its credential, in milliseconds since 1970; undefined: none. */
  readonly expires_at?: number;
}

/** The tenant of a server without tenants. */
export const DEFAULT_TENANT = 'default';

/** Every caller of a server without authentication. */
export const LOCAL_PRINCIPAL: Principal = {
  tenant_id: DEFAULT_TENANT,
  user_id: 'local',
  scopes: new Set(SCOPES),
};

/** The `key_id` of `ADMIN_KEY`, which no other key has. */
export const ADMIN_KEY_ID = 'admin';

/** The holder of `ADMIN_KEY`. */
export const ADMIN_PRINCIPAL: Principal = {
  tenant_id: DEFAULT_TENANT,
  user_id: 'admin',
  scopes: new Set(SCOPES),
  key_id: ADMIN_KEY_ID,
};

/**
 * True for the user of `ADMIN_KEY`. No other credential may name it, so that the audit trail tells
 * them apart.
 */
export function isReserved({
  tenant_id,
  user_id,
}: Pick<Principal, 'tenant_id' | 'user_id'>): boolean {
  return tenant_id === ADMIN_PRINCIPAL.tenant_id && user_id === ADMIN_PRINCIPAL.user_id;
}

/** Tenants name folders. */
export const TENANT_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
/** 1 to 255 characters, none of which is a control character. */
export const USER_ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** `admin` includes what concerns chats of its tenant, not the operation of the server. */
export function withIncluded(scopes: readonly Scope[]): ReadonlySet<Scope> {
  const included: readonly Scope[] = scopes.includes('admin') ? ['chat', 'decide'] : [];
  return new Set([...scopes, ...included]);
}

export function isScope(text: unknown): text is Scope {
  return (SCOPES as readonly unknown[]).includes(text);
}
