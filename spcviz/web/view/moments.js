// Moments of a story that a loop shows, and the duration of each.

const SECONDS = [4, 8]; // of a loop, at least and at most
const FIRST = 0.9, LAST = 1.6, NEXT = 0.5; // seconds of the first moment, of the last, of those between if they fit

/** At most `most` of n moments, evenly spaced, including the first and the last: numbers from 0. */
export function chosenOf(n, most) {
  const count = Math.min(n, most);
  return Array.from({ length: count }, (_, k) => (count > 1 ? Math.round(k * (n - 1) / (count - 1)) : 0));
}

/** Milliseconds of each of n moments, at least 2. */
export function durations(n) {
  const [low, high] = SECONDS;
  if (n === 2) return [LAST, low - LAST].map((seconds) => Math.round(1000 * seconds));
  const between = Math.min(Math.max(NEXT * (n - 2), low - FIRST - LAST), high - FIRST - LAST);
  const ends = Array.from({ length: n - 1 }, (_, k) => Math.round(1000 * between * k / (n - 2)));
  return [1000 * FIRST, ...ends.slice(1).map((end, k) => end - ends[k]), 1000 * LAST];
}
