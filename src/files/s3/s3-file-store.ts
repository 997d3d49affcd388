import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { proxyFor } from '../../config/proxy-for.js';
import type { Config } from '../../config/config.js';
import type { AppError } from '../../kernel/app-error.js';
import { ProxyAgent, ProxyError } from '../../net/proxy-agent.js';
import { FileStore, noBytes, filesUnavailable } from '../file-store.js';
import type { ByteRange, Presentation, StoredBytes } from '../file-store.js';

/** The least that S3 takes; a file may have 10,000 of them. */
const PART_BYTES = 5 * 1024 * 1024;
/** Parts on their way, which is what an upload takes of memory. */
const PART_CONCURRENCY = 3;
const CONNECT_MS = 5_000;
/** Longest silence of S3. */
const SILENCE_MS = 30_000;

export type S3Settings = Pick<
  Config,
  | 's3Bucket'
  | 's3Endpoint'
  | 's3Region'
  | 's3ForcePathStyle'
  | 's3AccessKeyId'
  | 's3SecretAccessKey'
  | 'httpsProxy'
  | 'noProxy'
>;

/** The bytes in a bucket of any service that speaks S3. */
export class S3FileStore extends FileStore {
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor(settings: S3Settings, silenceMs = SILENCE_MS) {
    super();
    const { s3Bucket = '', s3Endpoint: endpoint, s3Region: region } = settings;
    const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secret } = settings;
    this.bucket = s3Bucket;
    const proxyUrl = proxyOf(settings);
    this.client = new S3Client({
      region,
      ...(endpoint !== undefined && { endpoint }),
      ...(accessKeyId !== undefined &&
        secret && { credentials: { accessKeyId, secretAccessKey: secret.reveal() } }),
      forcePathStyle: settings.s3ForcePathStyle,
      requestHandler: {
        ...{ connectionTimeout: CONNECT_MS, socketTimeout: silenceMs },
        ...(proxyUrl && { httpsAgent: new ProxyAgent(proxyUrl, { keepAlive: true }) }),
      },
      // Few services besides Amazon's know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async put(key: string, source: Readable): Promise<void> {
    const upload = new Upload({
      client: this.client,
      params: { ...this.at(key), Body: source },
      partSize: PART_BYTES,
      queueSize: PART_CONCURRENCY,
    });
    try {
      await upload.done();
    } catch (error) {
      throw source.errored ?? toStoreFault(error, this.bucket);
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new GetObjectCommand({ ...this.at(key), ...(Range && { Range }) });
    const { Body } = await this.answer(this.client.send(command), key);
    return Body as Readable; // in Node
  }

  async delete(key: string): Promise<void> {
    await this.answer(this.client.send(new DeleteObjectCommand(this.at(key)))).catch(unlessMissing);
  }

  async copy(from: string, to: string): Promise<void> {
    const CopySource = `${this.bucket}/${from}`;
    await this.answer(
      this.client.send(new CopyObjectCommand({ ...this.at(to), CopySource })),
      from,
    );
  }

  async *list(): AsyncGenerator<StoredBytes> {
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket });
    try {
      for await (const { Contents = [] } of pages)
        for (const { Key: key, Size: size_bytes = 0, LastModified: stored_at } of Contents)
          if (key !== undefined && stored_at) yield { key, size_bytes, stored_at };
    } catch (error) {
      throw toStoreFault(error, this.bucket);
    }
  }

  async exists(key: string): Promise<boolean> {
    const head = this.answer(this.client.send(new HeadObjectCommand(this.at(key))), key);
    return (await head.catch(unlessMissing)) !== undefined;
  }

  presign(key: string, { type, disposition, expires_in_s }: Presentation): Promise<string> {
    const command = new GetObjectCommand({
      ...this.at(key),
      ResponseContentType: type,
      ResponseContentDisposition: disposition,
    });
    return this.answer(getSignedUrl(this.client, command, { expiresIn: expires_in_s }));
  }

  /** Does nothing where the service can't list them; its own rules have to remove them there. */
  async removeUnfinished(before: Date): Promise<void> {
    for (let page: ListMultipartUploadsCommandOutput | undefined; page?.IsTruncated !== false;) {
      const command = new ListMultipartUploadsCommand({
        Bucket: this.bucket,
        KeyMarker: page?.NextKeyMarker,
        UploadIdMarker: page?.NextUploadIdMarker,
      });
      page = await this.client.send(command).catch((error: unknown) => {
        if (isUnsupported(error)) return undefined;
        throw toStoreFault(error, this.bucket);
      });
      if (!page) return;
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (Initiated && Initiated < before) await this.abort({ Key, UploadId });
      page.IsTruncated ??= false;
    }
  }

  private async abort(upload: { Key: string | undefined; UploadId: string | undefined }) {
    const command = new AbortMultipartUploadCommand({ Bucket: this.bucket, ...upload });
    await this.answer(this.client.send(command), upload.Key).catch(unlessMissing);
  }

  private at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: key };
  }

  /** @param key is read */
  private async answer<T>(work: Promise<T>, key?: string): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw key !== undefined && isMissing(error) ? noBytes(key) : toStoreFault(error, this.bucket);
    }
  }
}

/** The bucket may be part of the host name, and either may be excepted from the proxy. */
function proxyOf(settings: S3Settings): string | undefined {
  const { s3Bucket, s3Endpoint, s3Region } = settings;
  const service = new URL(s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`);
  const withBucket = `${service.protocol}//${s3Bucket}.${service.host}`;
  return proxyFor(settings, service.href) && proxyFor(settings, withBucket);
}

function unlessMissing(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (code !== 'file_not_found') throw error;
}

/** An error of the S3 client, as far as its types don't tell. */
interface S3Error {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const CREDENTIALS = ['CredentialsProviderError', 'ExpiredToken', 'InvalidAccessKeyId'];

function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as S3Error;
  return (
    name === 'NoSuchKey' ||
    name === 'NotFound' ||
    (name === undefined && $metadata?.httpStatusCode === 404)
  );
}

function isUnsupported(error: unknown): boolean {
  const { name, $metadata } = error as S3Error;
  return name === 'NotImplemented' || [405, 501].includes($metadata?.httpStatusCode ?? 0);
}

/** For clients and the operator, without what the service says: it may name the key. */
function toStoreFault(error: unknown, bucket: string): AppError {
  const fault =
    error instanceof ProxyError ? error.message : describeFault(error as S3Error, bucket);
  return filesUnavailable(fault, error);
}

function describeFault({ name = '', code = '', $metadata }: S3Error, bucket: string): string {
  const status = $metadata?.httpStatusCode;
  if (name === 'NoSuchBucket') return `the bucket ${bucket} does not exist`;
  if (CREDENTIALS.includes(name) || status === 401 || status === 403)
    return `S3 refuses the credentials of the server (${name})`;
  if (status === 507 || name === 'XMinioStorageFull') return 'the bucket is full';
  if (status !== undefined) return `S3 answers ${status} (${name})`;
  if (name === 'TimeoutError') return 'S3 does not answer in time';
  return `S3 can't be reached (${code || name})`;
}
