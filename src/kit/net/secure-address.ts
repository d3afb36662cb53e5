/** Returns true when traffic to this address cannot be read or changed on its way: https, or this machine by its own name. */
export function isSecureAddress(url: URL): boolean {
  if (url.protocol === "https:") return true;
  // Written as an address or as a name that is this machine's everywhere (RFC 6761).
  return url.protocol === "http:" && /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/.test(url.hostname);
}
