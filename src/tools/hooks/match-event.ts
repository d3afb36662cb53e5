/**
 * Returns true where a matcher fits, by the rules that Claude Code documents: nothing or `*` fits all, names are compared as they are
 * (`|` or `,` between several), and what has any other character is a regular expression that may match anywhere.
 */
export function isMatchingEvent(matcher: string | undefined, subject: string): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  if (!/^[\w\-\s,|]+$/.test(matcher)) return new RegExp(matcher).test(subject);
  return matcher
    .split(/[|,]/)
    .map((name) => name.trim())
    .includes(subject);
}
