/** Samples per second of the PCM that is spoken here; they have 16 bits, one channel. */
export const SAMPLE_RATE = 24_000;
const SAMPLE_BYTES = 2;
const HEADER_BYTES = 44;
const CHUNK_HEADER_BYTES = 8;

/** The header of a WAV file with so many bytes of PCM. */
export function wavHeader(pcmBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(HEADER_BYTES - CHUNK_HEADER_BYTES + pcmBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16); // bytes of the format
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // channels
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcmBytes, 40);
  return header;
}

/** The header of a WAV file whose length is not known yet: it tells the largest there is. */
export function endlessWavHeader(): Buffer {
  return wavHeader(0xff_ff_ff_fe - (HEADER_BYTES - CHUNK_HEADER_BYTES));
}

/**
 * The duration of a WAV file in milliseconds, of the bytes that are there: a header may lie.
 * Undefined if it is none, or has no format.
 */
export function wavDuration(content: Uint8Array): number | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE')
    return undefined;
  let byteRate = 0;
  for (let at = 12; at + CHUNK_HEADER_BYTES <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const start = at + CHUNK_HEADER_BYTES;
    if (name === 'fmt ' && start + 16 <= bytes.length) byteRate = bytes.readUInt32LE(start + 8);
    if (name === 'data')
      return byteRate > 0
        ? Math.round((Math.min(size, bytes.length - start) / byteRate) * 1000)
        : undefined;
    at = start + size + (size % 2);
  }
  return byteRate > 0 ? 0 : undefined;
}
