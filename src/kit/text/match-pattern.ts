/**
 * Returns true when `name` matches `pattern`, in which `*` is any run of characters. Takes linear time per `*`, because it uses
 * no regular expression.
 */
export function isMatch(name: string, pattern: string): boolean {
  const parts = pattern.split("*");
  const first = parts.shift() ?? "";
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let position = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return position <= end;
}
