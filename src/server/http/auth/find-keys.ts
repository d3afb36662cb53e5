import { DuetError } from "../../../kit/errors.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/short-line.ts";
import { fetchJson } from "./fetch-json.ts";

/** A public key as RFC 7517 writes it. */
export interface PublicKey extends Record<string, unknown> {
  kty: string;
}

/** More than so many no issuer has; each may cost a check of a signature. */
const mostKeys = 100;

/** The issuer's public keys, from its metadata or from where the operator says. Throws a `DuetError`, or the signal's reason. */
export async function findKeys(
  { issuer, jwksUrl }: { issuer: string; jwksUrl?: string | undefined },
  signal: AbortSignal,
): Promise<PublicKey[]> {
  const address = jwksUrl ?? (await discover(issuer, signal));
  const found = await fetchJson(address, signal);
  const listed = isRecord(found) && Array.isArray(found.keys) ? found.keys : undefined;
  if (listed === undefined) throw unusable(address, { zh: "没有公钥列表（keys）", en: "there is no list of keys" });
  const keys = listed.filter(isPublicKey).slice(0, mostKeys);
  if (keys.length === 0) throw unusable(address, { zh: "没有公钥", en: "there are no public keys" });
  return keys;
}

/** Where the issuer keeps its keys, by its metadata (RFC 8414, OpenID Connect Discovery), in the order that MCP prescribes. */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  for (const address of metadataAddresses(issuer)) {
    const metadata = await fetchJson(address, signal);
    if (metadata === undefined) continue;
    const { issuer: said, jwks_uri: place } = isRecord(metadata) ? metadata : {};
    // Whoever could pass for another issuer could pass its tokens for that one's (RFC 8414, section 3.3).
    if (said !== issuer) throw unusable(address, otherIssuer(said, issuer));
    if (typeof place !== "string" || !URL.canParse(place))
      throw unusable(address, { zh: "没有 jwks_uri", en: "there is no jwks_uri" });
    return place;
  }
  throw unusable(issuer, { zh: "没有元数据（可设置 jwksUrl）", en: "it has no metadata (jwksUrl may be set)" });
}

/** An issuer's path goes after the well-known name, for OpenID Connect before it as well. */
function metadataAddresses(issuer: string): string[] {
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

function otherIssuer(said: unknown, issuer: string): Text {
  const [found, wanted] = [said, issuer].map((each) => toShortLine(JSON.stringify(each) ?? "-", 200));
  return { zh: `issuer 是 ${found}，而不是 ${wanted}`, en: `its issuer is ${found}, not ${wanted}` };
}

function unusable(address: string, { zh, en }: Text): DuetError {
  const shown = toShortLine(address, 200);
  return new DuetError({ code: "bad_response", text: { zh: `${shown}：${zh}`, en: `${shown}: ${en}` } });
}
