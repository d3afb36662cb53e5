/** Returns an address that a page may link to. Only http and https are allowed, so that no link can run a script. */
export function toSafeUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === "https:" || url.protocol === "http:" ? url.href : undefined;
}
