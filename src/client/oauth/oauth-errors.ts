import { DuetError, type ErrorDetails } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";

/** Reports that a user has to sign in, and explains how. */
export function loginRequiredError(name: string): DuetError {
  return new DuetError({
    code: "auth",
    text: { zh: "需要登录", en: "it needs you to sign in" },
    hint: toLoginHint(name),
  });
}

export function scopeRequiredError(name: string, scope: string | undefined): DuetError {
  const shown = scope === undefined ? "" : ` (${toShortLine(scope, 200)})`;
  return new DuetError({
    code: "auth",
    text: { zh: `登录的权限不够${shown}`, en: `it asks for more permissions than the sign-in has${shown}` },
    hint: toLoginHint(name),
  });
}

export function toLoginHint(name: string): Text {
  const command = `duet login ${toShownName(name)}`;
  return { zh: `请运行 ${command}`, en: `Run: ${command}` };
}

/** The server has another authorization server than the one that our client secret was given to first. */
export function issuerMismatchError(name: string, issuer: string, before: string): DuetError {
  const [now, first] = [toShortLine(issuer, 200), toShortLine(before, 200)];
  const command = `duet login --remove ${toShownName(name)}`;
  return new DuetError({
    code: "auth",
    text: {
      zh: `它现在要求向 ${now} 登录，而之前是 ${first}；没有发送客户端密钥`,
      en: `it now sends its sign-in to ${now} instead of ${first}; the client secret was not sent`,
    },
    hint: { zh: `如果这是有意的，请运行 ${command}`, en: `If that is intended, run: ${command}` },
  });
}

/** Shortens a name to 100 characters and quotes it for a shell where needed. */
function toShownName(name: string): string {
  const line = toShortLine(name, 100);
  return /^[\w.@:/-]+$/.test(line) ? line : JSON.stringify(line);
}

/**
 * Converts a failed sign-in to an error for users. Of the package's and the server's messages it repeats only error codes, since
 * the rest may contain what was sent. A `DuetError`, also one below a failed `fetch`, stays as it is.
 */
export async function toSignInError(thrown: unknown): Promise<DuetError> {
  const below = thrown instanceof TypeError ? thrown.cause : undefined;
  if (thrown instanceof DuetError) return thrown;
  if (below instanceof DuetError) return below;
  const sdk = await import("@modelcontextprotocol/client");
  const isMixUp = sdk.IssuerMismatchError.isInstance(thrown) || sdk.AuthorizationServerMismatchError.isInstance(thrown);
  if (isMixUp) return new DuetError(mixUp);
  if (sdk.InsecureTokenEndpointError.isInstance(thrown)) return new DuetError(insecure);
  const code = getOAuthCode(thrown);
  if (code !== undefined) return refusedSignInError(code);
  const message = thrown instanceof Error ? thrown.message : "";
  return new DuetError(said.find(({ start }) => message.startsWith(start)) ?? unreadable);
}

/** Returns the error code that an authorization server answered with; undefined for any other failure. */
export function getOAuthCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || thrown.name !== "OAuthError" || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" && /^[a-z_]{1,60}$/.test(thrown.code) ? thrown.code : "server_error";
}

function refusedSignInError(code: string): DuetError {
  const isTemporary = temporaryCodes.has(code);
  return new DuetError({
    code: isTemporary ? "server" : "auth",
    text: { zh: `授权服务器拒绝了登录（${code}）`, en: `the authorization server refused the sign-in (${code})` },
    retryable: isTemporary,
  });
}

/** Lists the codes that say nothing against what was sent. */
export const temporaryCodes: ReadonlySet<string> = new Set([
  "server_error",
  "temporarily_unavailable",
  "too_many_requests",
  "slow_down",
]);

const mixUp: ErrorDetails = {
  code: "auth",
  text: {
    zh: "登录的响应来自另一个授权服务器，可能是攻击，已放弃",
    en: "the sign-in was answered by another authorization server; this may be an attack, so it was aborted",
  },
};

const insecure: ErrorDetails = {
  code: "auth",
  text: {
    zh: "授权服务器的令牌地址不是 https",
    en: "the token address of the authorization server is not https",
  },
};

const clientHint: Text = {
  zh: "请在该服务的网站上注册一个应用，并把 clientId 写入该服务器的 auth。",
  en: "Register an application at the service, and set its clientId under auth of this server.",
};

/** Recognizes an error by the beginning of the package's message, which has no code. */
const said: (ErrorDetails & { start: string })[] = [
  {
    start: "Incompatible auth server: does not support dynamic client registration",
    code: "auth",
    text: {
      zh: "授权服务器不支持动态客户端注册",
      en: "the authorization server does not support dynamic client registration",
    },
    hint: clientHint,
  },
  {
    start: "Dynamic Client Registration rejected",
    code: "auth",
    text: { zh: "授权服务器拒绝了客户端注册", en: "the authorization server refused the registration" },
    hint: clientHint,
  },
  {
    start: "Incompatible auth server",
    code: "auth",
    text: {
      zh: "授权服务器不支持 OAuth 2.1（授权码与 PKCE S256）",
      en: "the authorization server does not support OAuth 2.1 (authorization code with PKCE S256)",
    },
  },
  {
    start: "Protected resource",
    code: "auth",
    text: { zh: "它的登录信息属于另一个服务器", en: "its sign-in metadata belongs to another server" },
  },
];

const unreadable: ErrorDetails = {
  code: "bad_response",
  text: {
    zh: "它的登录信息无法使用，可能不支持 OAuth 登录",
    en: "its sign-in metadata cannot be used; it may not support OAuth",
  },
  hint: {
    zh: "如果该服务使用密钥，请把它写入该服务器的 headers。",
    en: "If the service uses a key, put it in the headers of this server.",
  },
};
