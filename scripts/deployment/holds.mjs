/** Runs a check and says that it holds; its error says what doesn't. */
export async function holds(what, check) {
  const begin = performance.now();
  try {
    const result = await check();
    console.log(`ok   ${what} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
    return result;
  } catch (cause) {
    throw new Error(`${what}: ${cause.message}`, { cause });
  }
}

/** @throws Error that says what was expected, unless `condition` is true */
export function expect(condition, message) {
  if (!condition) throw new Error(message);
}
