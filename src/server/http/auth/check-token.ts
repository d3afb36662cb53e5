import {
  createLocalJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import type { DuetError } from "../../../kit/errors.ts";
import { findKeys } from "./find-keys.ts";
import { InvalidTokenError } from "./invalid-token.ts";
import { createKeyCache } from "./key-cache.ts";
import type { AuthSettings, Clock } from "./settings.ts";
import { toTokenProblem } from "./token-problem.ts";

/** What a good token says. */
export interface Claims extends JWTPayload {
  iss: string;
  sub: string;
}

/** Rejects with an `InvalidTokenError`, with a `DuetError` where the issuer's keys cannot be had, or with the signal's reason. */
export type CheckToken = (token: string, signal: AbortSignal) => Promise<Claims>;

export interface CheckOptions {
  settings: Pick<AuthSettings, "issuer" | "jwksUrl" | "algorithms">;
  audience: string;
  clock: Clock;
  onChange(problem: DuetError | undefined): void;
}

const clockTolerance = 30;

/** Checks access tokens in the form of JWTs (RFC 9068): of this issuer, for this audience, signed and in force. */
export function createTokenCheck({ settings, audience, clock, onChange }: CheckOptions): CheckToken {
  const { issuer, jwksUrl, algorithms } = settings;
  const cache = createKeyCache({
    load: async (signal) => createLocalJWKSet({ keys: await findKeys({ issuer, jwksUrl }, signal) }),
    clock,
    onChange,
  });

  /** Asked only for a token that could be good: in form, and of an algorithm that is allowed. */
  function keysFor(signal: AbortSignal): JWTVerifyGetKey {
    return async (header, input) => {
      const held = await cache.current(signal);
      try {
        return await held.keys(header, input);
      } catch (thrown) {
        const newer = thrown instanceof errors.JWKSNoMatchingKey ? await cache.newer(held, signal) : undefined;
        if (newer === undefined) throw thrown;
        return newer.keys(header, input);
      }
    };
  }

  async function verify(token: string, keys: JWTVerifyGetKey): Promise<Claims> {
    const options = {
      algorithms,
      issuer,
      audience,
      clockTolerance,
      requiredClaims: ["sub", "exp"],
      currentDate: new Date(clock.now()),
    };
    const { payload, protectedHeader } = await verifyByAny(token, keys, options);
    if (!/^(?:(?:application\/)?at\+jwt|JWT)?$/i.test(protectedHeader.typ ?? ""))
      throw new InvalidTokenError(wrongType);
    if (!isOfSomebody(payload)) throw new InvalidTokenError(nobodys);
    return payload;
  }

  return async (token, signal) => {
    try {
      return await verify(token, keysFor(signal));
    } catch (thrown) {
      throw toTokenProblem(thrown);
    }
  };
}

/** A token that does not name its key may be signed with any that fits. */
async function verifyByAny(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, keys, options);
  } catch (thrown) {
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) throw thrown;
    for await (const key of thrown) {
      const verified = await jwtVerify(token, key, options).catch(unlessSignature);
      if (verified) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function unlessSignature(thrown: unknown): undefined {
  if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) throw thrown;
}

function isOfSomebody(payload: JWTPayload): payload is Claims {
  return typeof payload.iss === "string" && typeof payload.sub === "string" && payload.sub !== "";
}

const wrongType = { zh: "不是访问令牌（typ）", en: "it is no access token (typ)" };
const nobodys = { zh: "没有说明是谁的（sub）", en: "it does not say whose it is (sub)" };
