import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { createLazy } from "../../kit/create-lazy.ts";

/** Describes what a token confirms; the token is valid for nothing else. */
export interface Confirmable {
  /** Is the run's id, or for a plan the conversation's id. */
  id: string;
  kind: "call" | "plan";
  owner: string | undefined;
  /** Holds all that was shown: the tool with its arguments, or the plan. */
  shown: unknown;
}

/** Holds the content of a token. */
export interface Claim {
  id: string;
  kind: "call" | "plan";
  /** Is in milliseconds since 1970. */
  until: number;
}

/**
 * Creates and checks tokens that prove that something was shown for approval. They are signed with a key that is lost when the
 * process ends, unless it takes the one that all processes share.
 */
export interface Confirmations {
  /** Signs with another key from now on. What was signed with an earlier one counts in this process. */
  adoptKey(key: Uint8Array): void;
  mint(what: Confirmable, until: number): string;
  /** Returns the content of a token, or undefined if it is not ours or was changed. The token may have expired. */
  read(token: string): Claim | undefined;
  /** Returns true when the token was issued for exactly this and has not expired. */
  fits(token: string, what: Confirmable): boolean;
}

export const confirmationKeyBytes = 32;

const claims = z.object({
  id: z.string(),
  kind: z.enum(["call", "plan"]),
  until: z.number(),
  print: z.string(),
});

export function createConfirmations(now: () => number = Date.now): Confirmations {
  /** Holds the keys that processes share; the last one signs. */
  let shared: readonly Uint8Array[] = [];
  const getOwnKey = createLazy(() => randomBytes(confirmationKeyBytes));
  const sign = (payload: string, key: Uint8Array = shared.at(-1) ?? getOwnKey()): Buffer =>
    createHmac("sha256", key).update(payload).digest();

  function open(token: string): z.infer<typeof claims> | undefined {
    const [payload = "", signature = "", ...rest] = token.split(".");
    if (rest.length > 0) return undefined;
    const given = Buffer.from(signature, "base64url");
    const isRight = (right: Buffer): boolean => given.length === right.length && timingSafeEqual(given, right);
    if (![...shared, getOwnKey()].some((key) => isRight(sign(payload, key)))) return undefined;
    // Of what is ours the spelling too: base64 has several for one.
    if (given.toString("base64url") !== signature) return undefined;
    return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  }

  return {
    adoptKey(key) {
      shared = [...shared, key];
    },
    mint(what, until) {
      const said = { id: what.id, kind: what.kind, until, print: printOf(what) };
      const payload = Buffer.from(JSON.stringify(said)).toString("base64url");
      return `${payload}.${sign(payload).toString("base64url")}`;
    },
    read: open,
    fits(token, what) {
      const said = open(token);
      if (said === undefined || said.until <= now()) return false;
      return said.id === what.id && said.kind === what.kind && said.print === printOf(what);
    },
  };
}

function printOf({ owner, shown }: Confirmable): string {
  return createHash("sha256")
    .update(JSON.stringify([owner ?? null, shown]))
    .digest("base64url");
}
