import { sanitizeLine } from "../../../kit/text/sanitize.ts";

/** Formats the text as a link; returns it unchanged when a link may not lead to the address. */
export function createHyperlink(address: string, text: string): string {
  const href = toSafeAddress(address);
  return href === undefined ? text : `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Terminals take no longer ones. */
const longestAddress = 2000;

/**
 * Rebuilds the address from its parts, so that nothing in it can end the link. Credentials in a URL could imitate another host.
 */
function toSafeAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  if (sanitizeLine(text) !== text || url.href.length > longestAddress) return undefined;
  return /^[\x21-\x7e]+$/.test(url.href) ? url.href : undefined;
}
