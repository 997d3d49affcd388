/** The longest run that Unicode's Stream-Safe Text Format allows. */
const MAX_MARKS = 30;
/** Without a width, ignored by people, and the end of a run of marks. */
const JOINER = '\u034f';
/** Characters that a normalization sorts among their neighbours; the last two become marks. */
const RUN = /[\p{M}\uff9e\uff9f]+/gu;
const ALLOWED_RUN = /[^]{30}(?=[^])/gu;

/**
 * Normalizes a text from outside, in linear time: `String.normalize` sorts a run of combining marks
 * in quadratic time, so U+034F divides runs of more than 30 (UAX 15, Stream-Safe Text Format).
 */
export function normalizeText(text: string, form: 'NFC' | 'NFKC'): string {
  // oxlint-disable-next-line no-restricted-properties -- the runs are bounded
  return text.replaceAll(RUN, divided).normalize(form);
}

function divided(run: string): string {
  return run.length <= MAX_MARKS ? run : run.replaceAll(ALLOWED_RUN, `$&${JOINER}`);
}
