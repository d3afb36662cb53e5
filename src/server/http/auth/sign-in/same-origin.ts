/**
 * Returns true for a request that a page of this server's own origin sends, or that changes nothing and comes from no page. Only
 * such a request may use the cookie that the browser adds to it, whoever has caused it.
 */
export function isFromOwnPage(request: Request, origin: string): boolean {
  const isReading = request.method === "GET" || request.method === "HEAD";
  const site = request.headers.get("sec-fetch-site");
  // Browsers of before 2023 do not send it.
  if (site !== null) return site === "same-origin" || (isReading && site === "none");
  const from = request.headers.get("origin");
  return from === null ? isReading : from.toLowerCase() === origin;
}

/** Limits where a sign-in may lead back to, in characters. */
const longestPath = 1000;

/** Returns the whole address of a path of this server, and the page's own for anything that would lead elsewhere. */
export function toOwnAddress(path: string | null, base: string): string {
  const home = `${base}/`;
  const { origin } = new URL(base);
  if (path === null || path.length > longestPath || !URL.canParse(path, origin)) return home;
  // Whole, because the path alone may again be read as another host: `/.//evil.example`.
  const address = new URL(path, origin);
  return path.startsWith("/") && address.origin === origin ? address.href : home;
}
