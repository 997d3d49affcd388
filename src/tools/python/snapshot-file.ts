import { webcrypto } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const DIGEST_BYTES = 32;

/** A snapshot on the disk: the SHA-256 digest of all that follows, that of its key, and its bytes. There is one; a new one takes its place. */
export class SnapshotFile {
  /** `key`: what the snapshot was made from. */
  constructor(
    readonly path: string,
    private readonly key: string,
  ) {}

  /** Undefined when there is none that is whole and of this key. */
  async read(): Promise<Uint8Array | undefined> {
    const content = await readFile(this.path).catch(() => Buffer.alloc(0));
    const told = content.subarray(0, DIGEST_BYTES);
    const rest = content.subarray(DIGEST_BYTES);
    const keyDigest = await digest(Buffer.from(this.key));
    if (!keyDigest.equals(rest.subarray(0, DIGEST_BYTES))) return undefined;
    return told.equals(await digest(rest)) ? rest.subarray(DIGEST_BYTES) : undefined;
  }

  /** Whoever reads meanwhile, or after a crash, finds the old or the new one, or notices that it is neither. */
  async write(bytes: Uint8Array): Promise<void> {
    const rest = Buffer.concat([await digest(Buffer.from(this.key)), bytes]);
    const temporary = `${this.path}.tmp`;
    await mkdir(dirname(this.path), { recursive: true });
    await writeFile(temporary, [await digest(rest), rest], { mode: 0o600 });
    await rename(temporary, this.path);
  }
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<Buffer> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));
}
