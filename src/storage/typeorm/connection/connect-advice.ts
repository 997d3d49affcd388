/** The members of an error of the driver, of Postgres, of TLS or of the file system. */
export interface ConnectFault {
  /** In errors of Postgres, the SQLSTATE. */
  readonly code?: string;
  readonly message?: string;
  readonly syscall?: string;
  readonly path?: string;
}

const NO_SUCH_DATABASE = '3D000';
const UNAUTHENTICATED: readonly string[] = ['28000', '28P01'];
const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** OpenSSL's codes for a certificate that it can't verify. */
const UNTRUSTED: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
];
const OUTDATED: readonly string[] = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];
/** The driver's error if the server asks for a password and the URL has none. */
const NO_PASSWORD = 'client password must be a string';
const NO_TLS = 'The server does not support SSL connections';
/** Messages of servers that require TLS: Postgres before and since 14, and hosted ones. */
const WANTS_TLS =
  /no encryption$|SSL off$|connection is insecure|(SSL|TLS) connection is required|requires (SSL|TLS)/i;
const WANTS_CERTIFICATE = 'valid client certificate';
const NO_HBA_ENTRY = 'no pg_hba.conf entry';

const CHECK_USER =
  'Check the user and the password in DATABASE_URL, or unset DATABASE_URL to use the embedded one';
const CHECK_SERVER =
  'Check that it runs and that DATABASE_URL names it, or unset DATABASE_URL to use the embedded one';
const CREATE =
  'Create it, for example with createdb, or unset DATABASE_URL to use the embedded one';
const VOUCH =
  'Nothing that this process trusts vouches for it: add sslrootcert=/path/to/ca.pem to DATABASE_URL, or sslmode=no-verify to encrypt without checking the server';
const RENEW = 'Renew the certificate of the server, or set the clocks right';
const NAME_HOST = 'Name the server in DATABASE_URL as its certificate does';
const ENCRYPT =
  'The server wants TLS: add sslmode=verify-full to DATABASE_URL, and sslrootcert=/path/to/ca.pem if its certificate is private';
const SHOW_CERTIFICATE = 'Name one in DATABASE_URL, with sslcert and sslkey';
const LET_IN = 'Let this host in by pg_hba.conf of the server';
const LEAVE_TLS = 'Turn TLS on there, or set sslmode=disable in DATABASE_URL';
const NO_PEM =
  'Check the files that sslrootcert, sslcert and sslkey in DATABASE_URL name: they have to be PEM';

/** The remedy of a failed connect, without its full stop. */
export function connectAdvice(url: URL, fault: ConnectFault): string {
  const { code = '', message = '' } = fault;
  if (isOfFile(fault)) return checkFile(url, fault);
  if (UNTRUSTED.includes(code)) return VOUCH;
  if (OUTDATED.includes(code)) return RENEW;
  if (code === OTHER_HOST) return NAME_HOST;
  if (code.startsWith('ERR_OSSL_')) return NO_PEM;
  if (message.includes(NO_TLS)) return LEAVE_TLS;
  if (WANTS_TLS.test(message)) return ENCRYPT;
  if (message.includes(WANTS_CERTIFICATE)) return SHOW_CERTIFICATE;
  if (message.includes(NO_HBA_ENTRY)) return LET_IN;
  if (UNAUTHENTICATED.includes(code) || lacksPassword(fault)) return CHECK_USER;
  return code === NO_SUCH_DATABASE ? CREATE : CHECK_SERVER;
}

export function lacksPassword({ message = '' }: ConnectFault): boolean {
  return message.includes(NO_PASSWORD);
}

/** True if a file of this host failed, not the way to a server: a socket has a path too. */
export function isOfFile({ syscall }: ConnectFault): boolean {
  return syscall === 'open' || syscall === 'read';
}

function checkFile({ searchParams }: URL, { path }: ConnectFault): string {
  const [name] = [...searchParams].find(([, value]) => value === path) ?? [];
  return `Check ${name ?? 'the file that is named'} in DATABASE_URL`;
}
