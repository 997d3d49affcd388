/**
 * Each reader had each record once, in order, to the byte as the log has it, wherever it was
 * connected, and each character of each completed block once (I1, I2).
 */
export function checkStreams({ interactions }, { texts }) {
  return [...interactions.values()].flatMap(({ id, readers }) =>
    readers.flatMap((reader) =>
      faultsOf(reader, texts.get(id) ?? []).map((fault) => `${id}: ${fault}`),
    ),
  );
}

function faultsOf({ faults, texts, done, cursor }, log) {
  const other = texts.findIndex((text, at) => text !== log[at]);
  return [
    ...faults.map((fault) => `a reader: ${fault}`),
    ...(done || faults.length > 0 ? [] : [`a reader never got further than ${cursor}`]),
    ...(other === -1
      ? []
      : [`a reader got ${show(texts[other])}, the log has ${show(log[other])}`]),
  ];
}

function show(text) {
  return text?.slice(0, 300) ?? 'nothing there';
}
