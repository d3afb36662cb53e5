/** The web address that somebody means; https where no scheme is given. Undefined for what is none. */
export function findAddress(text: string): URL | undefined {
  const trimmed = text.trim();
  // A host with a port looks like a scheme.
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(trimmed);
  const url = URL.parse(hasScheme ? trimmed : `https://${trimmed}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}

/** An address as it may be shown: without a name and a password for the site. */
export function toPublicAddress(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

/** The part behind # is the browser's business. */
export function removeHash(url: string): string {
  return url.replace(/#.*$/, "");
}

/** Whether two addresses name two pages, not only one in two ways of writing. */
export function isOtherPage(one: string, other: string): boolean {
  return bare(one) !== bare(other);
}

function bare(url: string): string {
  return removeHash(url)
    .replace(/^https?:\/\/(?:www\.)?/, "")
    .replace(/\/$/, "");
}
