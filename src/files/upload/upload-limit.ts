import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { Config } from '../../config/config.js';
import { clientPauseInSeconds } from '../../kernel/client-pause.js';
import { Counts } from '../../kernel/counts.js';
import { AppError } from '../../kernel/app-error.js';

/** Bounds the uploads of a user that arrive at the same time. */
@Injectable()
export class UploadLimit {
  private readonly counts = new Counts();

  constructor(private readonly config: Config) {}

  /**
   * @returns a function that ends the upload
   * @throws AppError `too_many_uploads` (429)
   */
  begin({ tenant_id, user_id }: Principal): () => void {
    const user = JSON.stringify([tenant_id, user_id]);
    const { maxUploads } = this.config;
    if (this.counts.of(user) >= maxUploads) throw tooManyUploads(maxUploads);
    this.counts.add(user, 1);
    return () => this.counts.add(user, -1);
  }
}

function tooManyUploads(most: number): AppError {
  const message = `The user has ${most} uploads that have not arrived yet (MAX_UPLOADS). Retry when one has.`;
  return new AppError('rate_limited', 'too_many_uploads', message, {
    retry_after_s: clientPauseInSeconds(),
  });
}
