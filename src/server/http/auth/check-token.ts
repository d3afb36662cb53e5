import {
  createLocalJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import { DuetError } from "../../../kit/errors.ts";
import { getOwnValue, isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { fetchJson } from "../../../kit/net/request-issuer.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { AuthSettings, Clock } from "./auth-settings.ts";
import { InvalidTokenError } from "./invalid-token-error.ts";
import { createKeyCache } from "./key-cache.ts";

/** Holds the claims of a valid token. */
export interface Claims extends JWTPayload {
  iss: string;
  sub: string;
}

/** Rejects with an `InvalidTokenError`, with a `DuetError` where the issuer's keys cannot be had, or with the signal's reason. */
export type CheckToken = (token: string, signal: AbortSignal) => Promise<Claims>;

export interface CheckOptions {
  settings: Pick<AuthSettings, "issuer" | "jwksUrl" | "algorithms" | "maxLifetime">;
  audience: string;
  clock: Clock;
  onChange(problem: DuetError | undefined): void;
}

const clockTolerance = 30;

/** Checks access tokens in the form of JWTs (RFC 9068): of this issuer, for this audience, signed and in force. */
export function createTokenCheck({ settings, audience, clock, onChange }: CheckOptions): CheckToken {
  const { issuer, jwksUrl, algorithms, maxLifetime } = settings;
  const cache = createKeyCache({
    load: async (signal) => createLocalJWKSet({ keys: await findKeys({ issuer, jwksUrl }, signal) }),
    clock,
    onChange,
  });

  /** Runs only for a token that may be valid: well-formed, and with an allowed algorithm. */
  function createKeyReader(signal: AbortSignal): JWTVerifyGetKey {
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
    if (isIdToken(payload)) throw new InvalidTokenError(idToken);
    if ((payload.exp ?? 0) - clock.now() / 1000 > maxLifetime)
      throw new InvalidTokenError(describeTooLong(maxLifetime));
    if (!hasSubject(payload)) throw new InvalidTokenError(noSubject);
    return payload;
  }

  return async (token, signal) => {
    try {
      return await verify(token, createKeyReader(signal));
    } catch (thrown) {
      throw toTokenProblem(thrown, { issuer, audience, algorithms });
    }
  };
}

/** A token that does not name its key may be signed with any key that fits. */
async function verifyByAny(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, keys, options);
  } catch (thrown) {
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) throw thrown;
    for await (const key of thrown) {
      const verified = await jwtVerify(token, key, options).catch(ignoreWrongSignature);
      if (verified) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function ignoreWrongSignature(thrown: unknown): undefined {
  if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) throw thrown;
}

function hasSubject(payload: JWTPayload): payload is Claims {
  return typeof payload.iss === "string" && typeof payload.sub === "string" && payload.sub !== "";
}

/**
 * Recognises an ID token by what no access token has: it says who signed in to an application, and lets nobody call (OpenID Connect
 * Core, section 3.1.3.6; `typ` as Keycloak writes it). Its header says `JWT`, as that of many issuers' access tokens does.
 */
function isIdToken({ at_hash, c_hash, typ }: JWTPayload): boolean {
  return at_hash !== undefined || c_hash !== undefined || typ === "ID";
}

const idToken = { zh: "是 ID 令牌，不是访问令牌", en: "it is an ID token, not an access token" };

function describeTooLong(maxLifetime: number): Text {
  return withAllowed({ zh: "有效期过长", en: "it is valid for too long" }, `${maxLifetime} s`);
}

const wrongType = { zh: "不是访问令牌（typ）", en: "it is not an access token (typ)" };
const noSubject = { zh: "没有标明用户（sub）", en: "it names no subject (sub)" };

/** Holds what a token must name to be accepted. */
export interface TokenRules {
  issuer: string;
  audience: string;
  algorithms: readonly string[];
}

/**
 * Describes what is wrong with a token and what is allowed, without quoting any of the token. Returns errors that do not come
 * from the package unchanged.
 */
export function toTokenProblem(thrown: unknown, rules: TokenRules): unknown {
  if (!(thrown instanceof errors.JOSEError)) return thrown;
  if (thrown instanceof errors.JWTClaimValidationFailed)
    return new InvalidTokenError(describeClaimProblem(thrown.claim, rules) ?? malformed);
  if (thrown instanceof errors.JOSEAlgNotAllowed)
    return new InvalidTokenError(
      withAllowed({ zh: "签名算法不被允许", en: "its algorithm is not allowed" }, rules.algorithms.join(", ")),
    );
  return new InvalidTokenError(getOwnValue(byCode, thrown.code) ?? malformed);
}

const malformed: Text = { zh: "格式不正确", en: "it is not a valid token" };

function describeClaimProblem(claim: string, { issuer, audience }: TokenRules): Text | undefined {
  if (claim === "iss") return withAllowed({ zh: "来自另一个签发者", en: "it was issued by another issuer" }, issuer);
  if (claim === "aud") return withAllowed({ zh: "不是发给本服务的", en: "it is meant for another audience" }, audience);
  return getOwnValue(byClaim, claim);
}

function withAllowed({ zh, en }: Text, allowed: string): Text {
  return { zh: `${zh}（允许：${allowed}）`, en: `${en} (allowed: ${allowed})` };
}

const byClaim: Readonly<Record<string, Text>> = {
  nbf: { zh: "尚未生效", en: "it is not valid yet" },
  exp: { zh: "没有有效期", en: "it has no expiry" },
  sub: noSubject,
};

const byCode: Readonly<Record<string, Text>> = {
  ERR_JWT_EXPIRED: { zh: "已过期", en: "it has expired" },
  ERR_JWKS_NO_MATCHING_KEY: { zh: "签发者没有签名所用的密钥", en: "its issuer has no such key" },
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: { zh: "签名不正确", en: "its signature is wrong" },
};

/** Represents a public key in the format of RFC 7517. */
export interface PublicKey extends Record<string, unknown> {
  kty: string;
}

/** No issuer has more keys than this, and each may cost a signature check. */
const mostKeys = 100;

/**
 * Returns the issuer's public keys, from its metadata or from the address that the operator configured. Throws a `DuetError`, or
 * the signal's reason.
 */
export async function findKeys(
  { issuer, jwksUrl }: { issuer: string; jwksUrl?: string | undefined },
  signal: AbortSignal,
): Promise<PublicKey[]> {
  const address = jwksUrl ?? (await fetchKeyAddress(issuer, signal));
  const found = await fetchJson(address, signal);
  const listed = isRecord(found) && Array.isArray(found.keys) ? found.keys : undefined;
  if (listed === undefined)
    throw unusableMetadataError(address, { zh: "没有公钥列表（keys）", en: "there is no list of keys" });
  const keys = listed.filter(isPublicKey).slice(0, mostKeys);
  if (keys.length === 0) throw unusableMetadataError(address, { zh: "没有公钥", en: "there are no public keys" });
  return keys;
}

/**
 * Finds the address of the issuer's keys in its metadata (RFC 8414, OpenID Connect Discovery), in the order that MCP prescribes.
 */
async function fetchKeyAddress(issuer: string, signal: AbortSignal): Promise<string> {
  for (const address of listMetadataAddresses(issuer)) {
    const metadata = await fetchJson(address, signal);
    if (metadata === undefined) continue;
    const { issuer: said, jwks_uri: place } = isRecord(metadata) ? metadata : {};
    // Whoever could pass for another issuer could pass its tokens for that one's (RFC 8414, section 3.3).
    if (said !== issuer) throw unusableMetadataError(address, describeOtherIssuer(said, issuer));
    if (typeof place !== "string" || !URL.canParse(place))
      throw unusableMetadataError(address, { zh: "没有 jwks_uri", en: "there is no jwks_uri" });
    return place;
  }
  throw unusableMetadataError(issuer, {
    zh: "没有元数据（可设置 jwksUrl）",
    en: "it has no metadata (jwksUrl may be set)",
  });
}

/** The issuer's path goes after the well-known name; OpenID Connect also allows it before. */
function listMetadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const openId = "/.well-known/openid-configuration";
  const places = [`/.well-known/oauth-authorization-server${path}`, `${openId}${path}`];
  if (path !== "") places.push(`${path}${openId}`);
  return places.map((place) => origin + place);
}

function isPublicKey(key: unknown): key is PublicKey {
  return isRecord(key) && (key.kty === "RSA" || key.kty === "EC" || key.kty === "OKP");
}

function describeOtherIssuer(said: unknown, issuer: string): Text {
  const [found, wanted] = [said, issuer].map((each) => toShortLine(JSON.stringify(each) ?? "-", 200));
  return { zh: `issuer 是 ${found}，而不是 ${wanted}`, en: `its issuer is ${found}, not ${wanted}` };
}

function unusableMetadataError(address: string, { zh, en }: Text): DuetError {
  const shown = toShortLine(address, 200);
  return new DuetError({ code: "bad_response", text: { zh: `${shown}：${zh}`, en: `${shown}: ${en}` } });
}
