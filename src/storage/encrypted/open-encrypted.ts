import { Logger } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { ConfigError } from '../../config/config-error.js';
import { nameOfOwner, SAMPLES_OF_KEY } from '../../encryption/data-key-store.js';
import type { DataKeyStore, OwnedKey } from '../../encryption/data-key-store.js';
import { DataKeys } from '../../encryption/data-keys.js';
import { Encryption } from '../../encryption/encryption.js';
import { LiveKeys } from '../../encryption/live-keys.js';
import { MasterKeys } from '../../encryption/master-keys.js';
import { AppError } from '../../kernel/app-error.js';
import type { AllStores } from '../stores.js';
import { ChatKeys } from './chat-keys.js';
import { encryptStores } from './encrypt-stores.js';

const logger = new Logger('Encryption');

export interface EncryptedStorage<S extends AllStores> {
  readonly stores: S;
  readonly encryption: Encryption;
}

/**
 * The stores as the configuration wants them: encrypted, or as they are.
 * @throws ConfigError if a master key of the saved data is missing, or is another one
 */
export async function openEncrypted<S extends AllStores>(
  stores: S,
  { encryptionKeys }: Pick<Config, 'encryptionKeys'>,
): Promise<EncryptedStorage<S>> {
  const masters = encryptionKeys && new MasterKeys(encryptionKeys);
  await checkMasterKeys(stores.dataKeys, masters);
  if (!masters) return { stores, encryption: new Encryption(undefined) };
  const data = new DataKeys(masters, stores.dataKeys);
  const keys = new ChatKeys(data, (stores.runs ?? stores).interactions);
  return {
    stores: encryptStores(stores, keys),
    encryption: new Encryption(data, keys, new LiveKeys(masters)),
  };
}

/**
 * A master key that unwraps some of its samples is right, and its other samples are damaged. The
 * few samples that a rotation has left to a former key may all be damaged.
 * @throws ConfigError which names the ids of keys that are missing, or that of a wrong one
 */
async function checkMasterKeys(
  dataKeys: DataKeyStore,
  masters: MasterKeys | undefined,
): Promise<void> {
  const samples = await dataKeys.listSamples();
  const used = new Set(samples.map(({ master_key_id }) => master_key_id));
  const missing = [...used].filter((id) => !masters?.has(id)).map((id) => `"${id}"`);
  if (missing.length > 0)
    throw fault(`lacks ${missing.join(', ')}, which saved data is encrypted with`);
  if (!masters) return;
  const damaged = samples.filter((sample) => !canUnwrap(masters, sample));
  for (const id of used) {
    const ofKey = samples.filter(({ master_key_id }) => master_key_id === id);
    const isRight = ofKey.some((sample) => !damaged.includes(sample));
    if (!isRight && (id === masters.current || ofKey.length >= SAMPLES_OF_KEY))
      throw fault(`has another key "${id}" than the one that saved data is encrypted with`);
  }
  for (const sample of damaged) {
    const of = nameOfOwner(sample);
    logger.warn(
      `The data key of ${of} can't be unwrapped with "${sample.master_key_id}": its texts can't be read.`,
    );
  }
}

function canUnwrap(masters: MasterKeys, owned: OwnedKey): boolean {
  try {
    return Boolean(masters.unwrap(owned));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function fault(problem: string): ConfigError {
  return new ConfigError([{ variable: 'ENCRYPTION_KEYS', problem }]);
}
