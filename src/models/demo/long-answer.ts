const ASKED =
  /\b(write|give|tell|say)\b.*\blong\b|\blong (answer|text|story|essay|reply)\b|\b(\d{1,9}) words\b/is;
const USUAL_WORDS = 400;
const MOST_WORDS = 20_000;
const SENTENCES = [
  'This is a long answer that nobody thought about.',
  'It exists so that you can watch text arrive a word at a time.',
  'Close the connection in the middle, and open it again with the last id that you saw.',
  'You will get exactly the rest, and nothing twice.',
  'You may also cancel it: what was written by then stays.',
];
const PARAGRAPH = SENTENCES.join(' ').split(' ');

/** How many words a message asks for; undefined when it asks for no long answer. */
export function wordsAskedFor(message: string): number | undefined {
  const asked = ASKED.exec(message);
  if (!asked) return undefined;
  const [, number] = /\b(\d{1,9}) words\b/i.exec(message) ?? [];
  return Math.min(Number(number ?? USUAL_WORDS), MOST_WORDS);
}

/** A text of exactly so many words, in paragraphs. */
export function longAnswer(words: number): string {
  const text = Array.from(
    { length: words },
    (_, n) => PARAGRAPH[n % PARAGRAPH.length]! + gapAfter(n),
  );
  return text.join('').trim();
}

function gapAfter(n: number): string {
  return (n + 1) % PARAGRAPH.length === 0 ? '\n\n' : ' ';
}
