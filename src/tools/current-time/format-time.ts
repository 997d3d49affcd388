/** A moment as people there read it: `2026-01-15T11:00:00+01:00 (Thursday, Europe/Berlin)`. */
export function formatTime(at: Date, timezone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    weekday: 'long',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const part = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const date = `${part.get('year')}-${part.get('month')}-${part.get('day')}`;
  const time = `${part.get('hour')}:${part.get('minute')}:${part.get('second')}`;
  const offset = part.get('timeZoneName')?.replace('GMT', '') || '+00:00';
  return `${date}T${time}${offset} (${part.get('weekday')}, ${timezone})`;
}
