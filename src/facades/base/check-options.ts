import { InputPipe } from '../../http/input/input.pipe.js';
import { RunOptionsDto } from '../../interactions/dto/run-options.dto.js';
import type { RunOptions } from '../../interactions/start/start-request.js';

const pipe = new InputPipe();

/**
 * Options of a start that a façade has made of its client's, with the limits of the API.
 * @throws AppError `invalid_body` (400)
 */
export async function checkOptions(given: RunOptions): Promise<RunOptions> {
  const type = { type: 'body', metatype: RunOptionsDto } as const;
  return (await pipe.transform(given, type)) as RunOptionsDto;
}
