/** The IANA name of the time zone that a text names, as such or by its city; undefined when it names none. */
export function findTimezone(text: string): string | undefined {
  const words = text.toLowerCase().replace(/[^a-z/_+-]+/g, ' ');
  if (/\b(utc|gmt)\b/.test(words)) return 'UTC';
  return Intl.supportedValuesOf('timeZone').find((zone) => names(words, zone.toLowerCase()));
}

function names(words: string, zone: string): boolean {
  const city = zone.split('/').at(-1)!.replaceAll('_', ' ');
  return ` ${words} `.includes(` ${zone} `) || ` ${words} `.includes(` in ${city} `);
}
