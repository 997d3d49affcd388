import { isDeepStrictEqual } from 'node:util';

/** Each reader had each record once, in order, as the log has it, and each character of each completed block once (I1, I2). */
export function checkStreams({ interactions }, { logs }) {
  return [...interactions.values()].flatMap(({ id, readers }) =>
    readers.flatMap((reader) =>
      faultsOf(reader, logs.get(id) ?? []).map((fault) => `${id}: ${fault}`),
    ),
  );
}

function faultsOf({ faults, records, isDone, cursor }, log) {
  const other = records.findIndex((record, at) => !isDeepStrictEqual(record, log[at]));
  return [
    ...faults.map((fault) => `a reader: ${fault}`),
    ...(isDone || faults.length > 0 ? [] : [`a reader never got further than ${cursor}`]),
    ...(other === -1
      ? []
      : [`a reader got ${show(records[other])}, the log has ${show(log[other])}`]),
  ];
}

function show(record) {
  return JSON.stringify(record)?.slice(0, 300) ?? 'nothing there';
}
