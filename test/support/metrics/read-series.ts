/** Values of series by name and labels, as Prometheus's text format writes them. */
export type Series = ReadonlyMap<string, number>;

export function readSeries(text: string): Series {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end))];
    }),
  );
}
