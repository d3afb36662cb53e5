import { errors } from "jose";
import { getOwnValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { InvalidTokenError } from "./invalid-token.ts";

/** What the package says of a token, in words that hold nothing of it. Gives back what is no word of the package. */
export function toTokenProblem(thrown: unknown): unknown {
  if (!(thrown instanceof errors.JOSEError)) return thrown;
  if (thrown instanceof errors.JWTClaimValidationFailed)
    return new InvalidTokenError(getOwnValue(byClaim, thrown.claim) ?? malformed);
  return new InvalidTokenError(getOwnValue(byCode, thrown.code) ?? malformed);
}

const malformed: Text = { zh: "令牌格式不正确", en: "it is no valid token" };

const byClaim: Readonly<Record<string, Text>> = {
  iss: { zh: "令牌来自另一个签发者", en: "it is of another issuer" },
  aud: { zh: "令牌不是发给本服务的", en: "it is meant for another audience" },
  nbf: { zh: "令牌尚未生效", en: "it is not in force yet" },
  exp: { zh: "令牌没有有效期", en: "it has no expiry" },
  sub: { zh: "令牌没有说明是谁的", en: "it does not say whose it is" },
};

const byCode: Readonly<Record<string, Text>> = {
  ERR_JWT_EXPIRED: { zh: "令牌已过期", en: "it has expired" },
  ERR_JOSE_ALG_NOT_ALLOWED: { zh: "令牌的签名算法不被允许", en: "its algorithm is not allowed" },
  ERR_JWKS_NO_MATCHING_KEY: { zh: "签发者没有签名所用的密钥", en: "its issuer has no such key" },
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: { zh: "令牌的签名不正确", en: "its signature is wrong" },
};
