/** Finds the web address in a text, with https when no scheme is given. Returns undefined when there is none. */
export function findAddress(text: string): URL | undefined {
  const trimmed = text.trim();
  // A host with a port looks like a scheme.
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(trimmed);
  const url = URL.parse(hasScheme ? trimmed : `https://${trimmed}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}

/** Returns an address that may be shown, without user name and password. */
export function toPublicAddress(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

/** Servers never see the part after `#`. */
export function removeHash(url: string): string {
  return url.replace(/#.*$/, "");
}

/** Returns true when two addresses name different pages, and false when they only differ in spelling. */
export function isOtherPage(one: string, other: string): boolean {
  return bare(one) !== bare(other);
}

function bare(url: string): string {
  return removeHash(url)
    .replace(/^https?:\/\/(?:www\.)?/, "")
    .replace(/\/$/, "");
}
