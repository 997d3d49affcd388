const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Puts values in the place of `${NAME}` and `${NAME:-default}`.
 * @param missing is told each name that has neither a value nor a default
 */
export function expandVariables(
  text: string,
  variable: (name: string) => string | undefined,
  missing: (name: string) => void,
): string {
  return text.replaceAll(REFERENCE, (_, name: string, fallback: string | undefined) => {
    const value = variable(name) ?? fallback;
    if (value === undefined) missing(name);
    return value ?? '';
  });
}
