/** A list of one fault, or of none where all is well. */
export function unless(condition, fault) {
  return condition ? [] : [fault];
}
