/**
 * The zone's name, as it is properly written.
 * @throws Error that names examples
 */
export function requireTimezone(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new Error(
      `There is no time zone ${JSON.stringify(name)}. Use an IANA name, such as UTC, Europe/Berlin, America/New_York or Asia/Tokyo.`,
      { cause },
    );
  }
}
