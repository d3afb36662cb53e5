/** Renders a count with its English noun: `1 match`, `2 matches`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Renders a size in bytes as people read it: `510 kB`, `1.2 MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 999_500 ? [bytes / 1000, "kB"] : [bytes / 1e6, "MB"];
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value).toLocaleString("en")} ${unit}`;
}
