/** An address that an answer may lead to: a page or a mail. */
export function parseLinkAddress(href: string): URL | undefined {
  const url = URL.parse(href);
  return url !== null && ["https:", "http:", "mailto:"].includes(url.protocol) ? url : undefined;
}

/**
 * The place to be named behind a link whose text reads like another address, so that nobody is led elsewhere than they
 * read (https://owasp.org, LLM05). Undefined where the text promises nothing else.
 */
export function findHiddenHost(text: string, url: URL): string | undefined {
  if (url.protocol === "mailto:") return text.includes(url.pathname) ? undefined : url.pathname;
  const host = withoutPrefix(url.hostname);
  const isPlain = url.username === "" && url.password === "";
  if (isPlain && hostsIn(text).every((each) => each === host)) return undefined;
  return url.host;
}

/** What reads like a host, whatever marks and invisible characters it is written with. */
function hostsIn(text: string): string[] {
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}|\\u\{[\da-f]+\}/gu, "")
    .replace(/[。．｡․]/g, ".")
    .toLowerCase();
  return (plain.match(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}[\p{L}\p{N}-]+/gu) ?? []).map(withoutPrefix);
}

function withoutPrefix(host: string): string {
  return host.replace(/^www\./, "");
}
