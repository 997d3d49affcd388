import {
  MAX_PAGE_BYTES,
  formatPageCursor,
  isAfter,
  jsonBytes,
  parsePageCursor,
  toPage,
} from './page-cursor.js';

const row = (n: number, length = 0) => ({
  id: `id_${n}`,
  created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString(),
  text: 'é'.repeat(length / 2),
});

describe(toPage.name, () => {
  it('has another page if there are more rows than the limit', () => {
    const rows = [row(1), row(2), row(3)];
    expect(toPage(rows, 3)).toEqual({ items: rows, next_cursor: null });
    const { items, next_cursor } = toPage(rows, 2);
    expect(items).toEqual(rows.slice(0, 2));
    const end = parsePageCursor(next_cursor!);
    expect(rows.filter((each) => isAfter(each, end))).toEqual(rows.slice(2));
  });

  it('has another page if the rows have too many bytes', () => {
    const rows = [1, 2, 3, 4].map((n) => row(n, 3_000_000));
    const { items, next_cursor } = toPage(rows, 4);
    expect(items).toEqual(rows.slice(0, 2));
    expect(jsonBytes(items)).toBeLessThan(MAX_PAGE_BYTES);
    expect(parsePageCursor(next_cursor!)).toMatchObject({ id: 'id_2' });
    expect(toPage(rows.slice(2), 4).next_cursor).toBeNull();
  });

  it('has at least one row', () => {
    const rows = [row(1, 10_000_000), row(2)];
    expect(toPage(rows, 2).items).toEqual(rows.slice(0, 1));
    expect(toPage(rows.slice(0, 1), 2)).toEqual({ items: rows.slice(0, 1), next_cursor: null });
  });
});

describe(parsePageCursor.name, () => {
  it.each(['2026-02-31T00:00:00.000Z', '2026-13-01T00:00:00.000Z', '2026-01-01T24:00:00.000Z'])(
    'refuses %s, which is no date',
    (created_at) => {
      const cursor = formatPageCursor({ created_at, id: 'id_1' });
      expect(() => parsePageCursor(cursor)).toThrow(
        expect.objectContaining({ code: 'invalid_query' }),
      );
    },
  );
});
