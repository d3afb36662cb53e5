import { badRequestError } from "./request-refusal.ts";

const longestAddress = 4000;

/**
 * The address of a page that a person is to open: `https`, or `http` on this machine; without a user name, which could pass
 * for the host. It is as the browser would read it, so that a host in foreign letters shows its real spelling.
 */
export function readPageAddress(address: unknown): string {
  if (typeof address !== "string" || address.length > longestAddress || !URL.canParse(address))
    throw badRequestError(`url is an address of at most ${longestAddress} characters`);
  const url = new URL(address);
  const isOpen = url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname));
  if (!isOpen) throw badRequestError("url begins with https:, or with http: on this machine");
  if (url.username !== "" || url.password !== "") throw badRequestError("url holds no user name and no password");
  return url.href;
}

/** The host is written as `URL` writes it. */
function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
