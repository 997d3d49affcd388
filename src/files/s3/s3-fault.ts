import type { AppError } from '../../kernel/app-error.js';
import { filesUnavailable } from '../file-store.js';

/** An error of the S3 client, as far as its types don't tell. */
interface S3Error {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const CREDENTIALS = ['CredentialsProviderError', 'ExpiredToken', 'InvalidAccessKeyId'];

export function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as S3Error;
  return (
    name === 'NoSuchKey' ||
    name === 'NotFound' ||
    (name === undefined && $metadata?.httpStatusCode === 404)
  );
}

export function isUnsupported(error: unknown): boolean {
  const { name, $metadata } = error as S3Error;
  return name === 'NotImplemented' || [405, 501].includes($metadata?.httpStatusCode ?? 0);
}

/** For clients and the operator, without what the service says: it may name the key. */
export function toStoreFault(error: unknown, bucket: string): AppError {
  return filesUnavailable(describe(error as S3Error, bucket), error);
}

function describe({ name = '', code = '', $metadata }: S3Error, bucket: string): string {
  const status = $metadata?.httpStatusCode;
  if (name === 'NoSuchBucket') return `the bucket ${bucket} does not exist`;
  if (CREDENTIALS.includes(name) || status === 401 || status === 403)
    return `S3 refuses the credentials of the server (${name})`;
  if (status === 507 || name === 'XMinioStorageFull') return 'the bucket is full';
  if (status !== undefined) return `S3 answers ${status} (${name})`;
  if (name === 'TimeoutError') return 'S3 does not answer in time';
  return `S3 can't be reached (${code || name})`;
}
