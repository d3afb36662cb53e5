import { createHmac } from "node:crypto";
import { createSecret } from "../../../../core/store/credentials.ts";

/** Holds what ties the provider's answer to the browser in which a sign-in has begun. */
export interface Attempt {
  /** Returns to us with the answer: whoever did not begin the sign-in does not know it. */
  readonly state: string;
  /** Returns to us within the ID token, which can be used for no other sign-in therefore. */
  readonly nonce: string;
  /** Shows the provider that we are who has begun it (PKCE). */
  readonly verifier: string;
  /** Is the path to which the browser goes at the end. */
  readonly to: string | null;
}

/** Limits how long a person may take to sign in, in seconds. */
export const longestAttempt = 600;

/**
 * Begins a sign-in. The cookie holds all that is needed to end it, in whatever process: one secret, of which everything else is
 * derived in a way that leads to no other of it.
 */
export function createAttempt(to: string | null, now: number): { attempt: Attempt; cookie: string } {
  const parts = [createSecret(), String(Math.floor(now / 1000)), encodeURIComponent(to ?? "")];
  const cookie = parts.join(".");
  return { attempt: derive(parts), cookie };
}

/** Reads the cookie of a sign-in that has begun. Returns undefined for one that is none, or that has taken too long. */
export function readAttempt(cookie: string | undefined, now: number): Attempt | undefined {
  const parts = /^([\w-]{43})\.(\d{1,12})\.([\w!~*'()%.-]{0,3000})$/.exec(cookie ?? "")?.slice(1);
  if (parts === undefined) return undefined;
  const age = now / 1000 - Number(parts[1]);
  return age >= -60 && age <= longestAttempt ? derive(parts) : undefined;
}

function derive([secret = "", begun = "", path = ""]: readonly string[]): Attempt {
  const createValue = (name: string): string =>
    createHmac("sha256", secret).update(`${name} ${begun}`).digest("base64url");
  return {
    state: createValue("state"),
    nonce: createValue("nonce"),
    verifier: createValue("verifier"),
    to: decodePath(path),
  };
}

function decodePath(path: string): string | null {
  try {
    return decodeURIComponent(path) || null;
  } catch {
    return null;
  }
}
