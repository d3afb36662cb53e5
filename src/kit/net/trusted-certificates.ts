import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";

/** Returns what TLS trusts where there are further certificates, as PEM: these and the usual ones. */
export function createTrust(ca: string): SecureContext {
  return createSecureContext({ ca: [...getCACertificates("default"), ca] });
}
