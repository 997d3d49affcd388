import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { RecordStore } from '../../persistence/record.store.js';
import { isRecordOf } from '../../persistence/rows/log-record.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { ImageType } from '../../protocol/message.js';

/** Position of an image: of the record, and among the images of that, from 0. */
export interface ImagePlace {
  readonly seq: number;
  readonly index: number;
}

export interface ResultImage {
  readonly media_type: ImageType;
  readonly bytes: Buffer;
}

/** Images that tools have shown, which the log keeps with their results. */
@Injectable()
export class ResultImages {
  constructor(private readonly records: RecordStore) {}

  /** @throws AppError `image_not_found` (404) */
  async get({ id }: InteractionRow, { seq, index }: ImagePlace): Promise<ResultImage> {
    const [record] = await this.records.readRecords(id, { after: seq - 1, limit: 1 });
    const image =
      record?.seq === seq && isRecordOf(record, 'TOOL_RESULT')
        ? record.hidden?.images?.[index]
        : undefined;
    if (!image)
      throw new AppError(
        'not_found',
        'image_not_found',
        `Record ${seq} of the interaction ${id} has no image ${index}. A TOOL_RESULT lists its \`images\`, which count from 0.`,
      );
    return { media_type: image.media_type, bytes: Buffer.from(image.data, 'base64') };
  }
}
