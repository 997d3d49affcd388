/** With `EXHAUSTIVE=1` tests try everything that there is to try; without, a sample of it. */
export const EXHAUSTIVE = process.env['EXHAUSTIVE'] === '1';
