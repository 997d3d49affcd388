/** A text cut into pieces of so many characters; of any number, also `Infinity`. */
export function pieces(text: string, most: number): string[] {
  const characters = Array.from(text);
  const size = Math.min(most, characters.length);
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, n) =>
    characters.slice(n * size, (n + 1) * size).join(''),
  );
}
