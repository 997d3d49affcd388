import { AppError } from '../../../kernel/app-error.js';

/** Where the database is: a server if there is a `url`, else embedded in `dataDir`. */
export interface DatabaseTarget {
  /** `postgres://…` */
  readonly url?: string;
  readonly dataDir: string;
}

/** Names database and host of a URL for people, and never its user's password. */
export function describeServer(url: string): string {
  const { hostname, port, pathname, searchParams } = parse(url);
  const host = searchParams.get('host') ?? (decodeURIComponent(hostname) || 'localhost');
  const database = decodeURIComponent(pathname.slice(1)) || 'postgres';
  return `"${database}" on ${host}:${port || '5432'}`;
}

function parse(url: string): URL {
  try {
    return new URL(url);
  } catch {
    // The cause would quote the URL, password included.
    throw new AppError(
      'invalid',
      'invalid_database_url',
      'DATABASE_URL is no URL. Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.',
    );
  }
}
