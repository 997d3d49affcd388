import { isDeepStrictEqual } from 'node:util';

/** Each request was settled at most once, and by whoever was told so (I5). */
export function checkRequests({ decisions, answers }, { logs, pending }) {
  const records = [...logs.values()].flat();
  return [
    ...pending.map(({ id, interaction_id }) => `${interaction_id}: ${id} waits, and nobody for it`),
    ...checkAll(decisions, 'approval_id', {
      records,
      types: ['APPROVED', 'REJECTED'],
      says: decides,
    }),
    ...checkAll(answers, 'request_id', {
      records,
      types: ['INPUT_RECEIVED'],
      says: answersWith,
    }),
  ];
}

function decides({ type, by, reason, modified_input }, attempt) {
  const { approved } = attempt;
  return (
    by.kind === 'user' &&
    reason === attempt.reason &&
    type === (approved ? 'APPROVED' : 'REJECTED') &&
    isDeepStrictEqual(modified_input, attempt.modified_input)
  );
}

function answersWith({ answer }, attempt) {
  return answer === attempt.answer;
}

function checkAll(attempts, key, { records, types, says }) {
  const told = records.filter(({ type }) => types.includes(type));
  const ids = new Set([...attempts, ...told].map((one) => one[key]));
  return [...ids].flatMap((id) => {
    const own = attempts.filter((attempt) => attempt[key] === id);
    const settled = told.filter((record) => record[key] === id);
    return faultsOf(own, settled, says).map((fault) => `${id} ${fault}`);
  });
}

function faultsOf(attempts, settled, says) {
  const heard = attempts.filter(({ status }) => status === 200);
  const [record] = settled;
  const faults = [];
  if (heard.length > 1) faults.push(`was settled by ${heard.length} clients`);
  if (settled.length > 1) faults.push(`was settled ${settled.length} times`);
  if (heard.length === 1 && !record) faults.push('was settled, and the log knows nothing of it');
  if (heard.length === 1 && record && !says(record, heard[0]))
    faults.push(
      `was settled with ${JSON.stringify(heard[0])}, the log has ${JSON.stringify(record)}`,
    );
  if (
    record &&
    isByPerson(record) &&
    !attempts.some((attempt) => mayHaveWon(attempt) && says(record, attempt))
  )
    faults.push(`is said to be settled by nobody we know: ${JSON.stringify(record)}`);
  return faults;
}

function isByPerson({ by }) {
  return by.kind === 'user';
}

function mayHaveWon({ status }) {
  return status === 200 || status === undefined;
}
