import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { invalidCredential } from '../auth-errors.js';
import { ADMIN_KEY_ID, ADMIN_PRINCIPAL, withIncluded } from '../principal.js';
import type { Principal } from '../principal.js';
import { BoundedMap } from '../../kernel/bounded-map.js';
import type { ApiKey } from './key-store.js';
import { KeyStore } from './key-store.js';
import { hashSecret, isSecret, makeKey, parseKey } from './key-text.js';

/** Longest use of a key after its deletion through another process, in milliseconds. */
const CACHE_MS = 1_000;
const MAX_KNOWN = 10_000;
/** Made-up ids do not push out real ones. */
const MAX_UNKNOWN = 1_000;
/** Ids of one query. */
const MAX_ASKED = 500;

const NO_KEY =
  'AUTH=keys, but there is no key and ADMIN_KEY is not set: every request will be refused. Run "npm run keys -- create --user NAME --scopes chat,decide,operate,admin" (without DATABASE_URL while the server is stopped), or set ADMIN_KEY (docs/auth.md).';

interface Known {
  readonly key: ApiKey | undefined;
  readonly until: number;
}

interface Question {
  readonly found: Promise<ApiKey | undefined>;
  readonly answer: (key: ApiKey | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/** Accepts API keys and `ADMIN_KEY`. */
@Injectable()
export class ApiKeys implements OnApplicationBootstrap {
  private readonly known = new BoundedMap<string, Known>(MAX_KNOWN);
  private readonly unknown = new BoundedMap<string, Known>(MAX_UNKNOWN);
  private readonly asked = new Map<string, Question>();
  private isAsking = false;
  /** Compared when there is no key, so that the time tells nothing. */
  private readonly noHash = hashSecret(makeKey().secret);
  private readonly adminHash: string | undefined;

  constructor(
    private readonly store: KeyStore,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    const admin = config.adminKey?.reveal();
    this.adminHash = admin === undefined ? undefined : hashSecret(admin);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { auth } = this.config;
    if (auth.join() !== 'keys' || this.adminHash !== undefined) return;
    const isEmpty = await this.store.isEmpty().catch(() => false);
    if (isEmpty) new Logger('Auth').warn(NO_KEY);
  }

  isAdminKey(text: string): boolean {
    return this.adminHash !== undefined && isSecret(text, this.adminHash);
  }

  /** @throws AppError `invalid_credential` (401), `store_unavailable` (503) */
  authenticate(text: string): Promise<Principal> {
    return this.check(text, (id) => this.find(id));
  }

  /**
   * For what shows how the server is: while the store fails, a key is as it was when last read.
   * @throws AppError `invalid_credential` (401), `store_unavailable` (503)
   */
  authenticateWatcher(text: string): Promise<Principal> {
    return this.check(text, (id) =>
      this.find(id).catch((error: unknown) => {
        const last = this.known.get(id);
        if (!last) throw error;
        return last.key;
      }),
    );
  }

  /**
   * True if a key was neither deleted nor expired within the last second.
   * @throws AppError `store_unavailable` (503)
   */
  async isValid(id: string): Promise<boolean> {
    if (id === ADMIN_KEY_ID) return this.adminHash !== undefined;
    const key = await this.find(id);
    return key !== undefined && !this.isExpired(key);
  }

  /** A key that this process deleted is refused at once. */
  forget(id: string): void {
    this.known.delete(id);
  }

  private async check(
    text: string,
    find: (id: string) => Promise<ApiKey | undefined>,
  ): Promise<Principal> {
    if (this.isAdminKey(text)) return ADMIN_PRINCIPAL;
    const parsed = parseKey(text);
    if (!parsed)
      throw invalidCredential('The key is malformed: it has to be "parley_<id>_<secret>".');
    const key = await find(parsed.id);
    const isRight = isSecret(parsed.secret, key?.secret_hash ?? this.noHash);
    if (!key || !isRight) throw invalidCredential('The key is unknown or deleted.');
    if (this.isExpired(key)) throw invalidCredential('The key has expired.');
    const { id, tenant_id, user_id, scopes, expires_at } = key;
    return {
      ...{ tenant_id, user_id, scopes: withIncluded(scopes), key_id: id },
      ...(expires_at !== null && { expires_at: Date.parse(expires_at) }),
    };
  }

  private isExpired({ expires_at }: ApiKey): boolean {
    return expires_at !== null && Date.parse(expires_at) <= this.clock.now().getTime();
  }

  private async find(id: string): Promise<ApiKey | undefined> {
    const cached = this.known.get(id) ?? this.unknown.get(id);
    if (cached && cached.until > this.clock.monotonic()) return cached.key;
    const asked = this.asked.get(id) ?? ask();
    this.asked.set(id, asked);
    void this.askStore();
    return asked.found;
  }

  /** Runs one query at a time for all waiting requests: a flood of made-up keys is one client. */
  private async askStore(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    for (;;) {
      const batch = [...this.asked].slice(0, MAX_ASKED);
      if (batch.length === 0) break;
      for (const [id] of batch) this.asked.delete(id);
      await this.settle(new Map(batch));
    }
    this.isAsking = false;
  }

  private async settle(batch: ReadonlyMap<string, Question>): Promise<void> {
    const until = this.clock.monotonic() + CACHE_MS;
    try {
      const keys = await this.store.find([...batch.keys()]);
      const found = new Map(keys.map((key) => [key.id, key]));
      for (const [id, { answer }] of batch) {
        const key = found.get(id);
        this.known.delete(id);
        (key ? this.known : this.unknown).set(id, { key, until });
        answer(key);
      }
    } catch (error) {
      for (const { fail } of batch.values()) fail(error);
    }
  }
}

function ask(): Question {
  let settle: Omit<Question, 'found'> | undefined;
  const found = new Promise<ApiKey | undefined>((answer, fail) => (settle = { answer, fail }));
  return { found, ...settle! };
}
