import { Resources } from './resources.js';

class Shop {
  readonly sells = 'bread';
}
class Branch extends Shop {}

/** Only made by its own function, as clients often are. */
class Connection {
  readonly open = true;
  private constructor() {}
  static make(): Connection {
    return new Connection();
  }
}

describe(Resources.name, () => {
  it('finds the object itself, and members of it, by their class', () => {
    const shop = new Shop();
    const connection = Connection.make();
    expect(new Resources(shop).get(Shop)).toBe(shop);
    const resources = new Resources({ shop, connection, name: 'x', none: null });
    expect(resources.get(Shop)).toBe(shop);
    expect(resources.get(Connection).open).toBe(true);
    expect(resources.find(Branch)).toBeUndefined();
  });

  it.each([[undefined], [null], ['text'], [7], [{ other: new Map() }]])(
    'says of %p what it lacks',
    (value) => {
      expect(() => new Resources(value).get(Shop)).toThrow(
        expect.objectContaining({ code: 'no_resource', message: expect.stringMatching(/ Shop,/) }),
      );
    },
  );

  it('does not choose between two', () => {
    const resources = new Resources({ a: new Shop(), b: new Branch() });
    expect(() => resources.get(Shop)).toThrow(
      expect.objectContaining({ code: 'ambiguous_resource' }),
    );
    expect(resources.get(Branch)).toBeInstanceOf(Branch);
  });
});
