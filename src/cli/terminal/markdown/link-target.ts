/**
 * Whether the address has to be shown behind the text of a link: where it cannot be opened from here, and where the text
 * looks like another address, so that nobody is led elsewhere than they read (https://owasp.org, LLM05).
 */
export function isTargetNeeded(text: string, href: string, hyperlinks: boolean): boolean {
  if (isSame(text, href)) return false;
  if (!hyperlinks || !isLinkable(href)) return true;
  const host = hostOf(href);
  return addressesIn(text).some((address) => address !== host);
}

function isSame(text: string, href: string): boolean {
  return [text, `mailto:${text}`, `http://${text}`, `https://${text}`, `${text}/`].includes(href);
}

function isLinkable(href: string): boolean {
  const url = URL.parse(href);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

function hostOf(href: string): string {
  return withoutPrefix(URL.parse(href)?.hostname ?? "");
}

/** What reads like a host, whatever marks and invisible characters it is written with. */
function addressesIn(text: string): string[] {
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/[。．｡․]/g, ".")
    .toLowerCase();
  return (plain.match(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}[\p{L}\p{N}-]+/gu) ?? []).map(withoutPrefix);
}

function withoutPrefix(host: string): string {
  return host.replace(/^www\./, "");
}
