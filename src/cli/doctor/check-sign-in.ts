import type { Config } from "../../config/config.ts";
import { toDuetError } from "../../kit/errors.ts";
import { isRecord, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { fetchJson } from "../../kit/net/request-issuer.ts";
import type { Finding } from "./findings.ts";

/** Reports whether people can sign in over HTTP, and what has to be registered at the provider for that. */
export async function checkSignIn(
  { serve: { http }, signInSecret }: Pick<Config, "serve" | "signInSecret">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { auth, publicUrl } = http;
  if (auth?.signIn === undefined) return [];
  const base = publicUrl?.replace(/\/+$/, "") ?? "http://127.0.0.1:PORT";
  const redirectUri = `${base}/signin/callback`;
  const finding = {
    topic: "network",
    what: { zh: "登录", en: "sign-in" },
    name: auth.issuer,
    details: { redirect_uri: redirectUri, secret: signInSecret !== undefined },
  } as const;
  const failure = await findMetadataFault(auth.issuer, signal);
  if (failure !== undefined) {
    const hint = { zh: "请检查 serve.http.auth.issuer。", en: "Check serve.http.auth.issuer." };
    return [{ ...finding, state: "failed", text: { zh: `${failure.zh}。`, en: `${failure.en}.` }, hint }];
  }
  const secret =
    signInSecret === undefined
      ? { zh: "没有密钥（DUET_SIGN_IN_SECRET）", en: "no secret (DUET_SIGN_IN_SECRET)" }
      : { zh: "有密钥", en: "with a secret" };
  const text = {
    zh: `客户端 ${auth.signIn.clientId}，${secret.zh} · 需登记的回调地址：${redirectUri}`,
    en: `client ${auth.signIn.clientId}, ${secret.en} · redirect URI to register: ${redirectUri}`,
  };
  return [{ ...finding, state: "ok", text }];
}

/** Returns why nobody can sign in with this issuer, and undefined where its metadata has what is needed. */
async function findMetadataFault(issuer: string, signal: AbortSignal): Promise<Text | undefined> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  try {
    const metadata = await fetchJson(address, signal);
    const { authorization_endpoint: place } = isRecord(metadata) ? metadata : {};
    if (URL.canParse(toText(place))) return undefined;
    return { zh: `${address} 中没有 authorization_endpoint`, en: `there is no authorization_endpoint at ${address}` };
  } catch (thrown) {
    signal.throwIfAborted();
    return toDuetError(thrown).text;
  }
}
