/**
 * Finds the host names in the text of a link, whatever marks and invisible characters they contain, also invisible ones that
 * are shown as `\u{…}`. A link whose text names another host than its address may mislead (https://owasp.org, LLM05).
 */
export function findHosts(text: string): string[] {
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}|\\u\{[\da-f]+\}/gu, "")
    .replace(/[。．｡․]/g, ".")
    .toLowerCase();
  return (plain.match(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}[\p{L}\p{N}-]+/gu) ?? []).map(stripWww);
}

/** Returns the host of an address in the form in which findHosts gives hosts. */
export function toHost({ hostname }: URL): string {
  return stripWww(hostname);
}

function stripWww(host: string): string {
  return host.replace(/^www\./, "");
}
