/** The web address that somebody means; https where no scheme is given. Undefined for what is none. */
export function addressIn(text: string): URL | undefined {
  const trimmed = text.trim();
  // A host with a port looks like a scheme.
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(trimmed);
  const url = URL.parse(hasScheme ? trimmed : `https://${trimmed}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}

/** An address as it may be shown: without a name and a password for the site. */
export function publicAddress(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

/** The part behind # is the browser's business. */
export function withoutHash(url: string): string {
  return url.replace(/#.*$/, "");
}

/** Whether two addresses name two pages, not only one in two ways of writing. */
export function isElsewhere(one: string, other: string): boolean {
  return bare(one) !== bare(other);
}

function bare(url: string): string {
  return withoutHash(url)
    .replace(/^https?:\/\/(?:www\.)?/, "")
    .replace(/\/$/, "");
}
