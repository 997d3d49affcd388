/** A text cut into pieces of so many characters. */
export function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, n) =>
    characters.slice(n * size, (n + 1) * size).join(''),
  );
}
