/** The web address that somebody means; https where no scheme is given. Undefined for what is none. */
export function readAddress(text: string): URL | undefined {
  const trimmed = text.trim();
  // A host with a port looks like a scheme.
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(trimmed);
  const url = URL.parse(hasScheme ? trimmed : `https://${trimmed}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" ? url : undefined;
}
