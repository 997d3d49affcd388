/**
 * Median, 95th and 99th percentile and maximum of some numbers, rounded to hundredths; null when
 * there are none.
 */
export function summarise(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const at = (share) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

function round(number) {
  return number === undefined ? null : Math.round(number * 100) / 100;
}
