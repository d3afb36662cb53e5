/** Converts an ISO 8601 time to the machine's local time: `2026-11-30 14:00`. */
export function renderTime(time: string): string {
  const date = new Date(time);
  const padToTwo = (part: number): string => String(part).padStart(2, "0");
  const day = [date.getFullYear(), padToTwo(date.getMonth() + 1), padToTwo(date.getDate())].join("-");
  return `${day} ${padToTwo(date.getHours())}:${padToTwo(date.getMinutes())}`;
}
