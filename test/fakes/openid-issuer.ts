// The code flow of the fake issuer: it signs in whoever it is told, checks PKCE as RFC 7636 says, and lies on request.
import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type FakeIssuer, json, startIssuer } from "./issuer.ts";

export interface OpenIdIssuer extends FakeIssuer {
  /** Follows the address to which a browser is sent, as a person who signs in there; gives where the browser is sent back. */
  signIn(address: string | null, person?: Record<string, unknown>): URL;
  /** Claims of the next ID tokens that are not as they should be. */
  lies: Record<string, unknown>;
  /** What it says that it has granted; nothing, as long as that is all that was asked for. */
  scope: string | undefined;
  /** What clients sent to the token endpoint. */
  exchanges: { form: URLSearchParams; authorization: string | undefined }[];
}

interface Begun {
  asked: URLSearchParams;
  person: Record<string, unknown>;
}

/** Closed with the test. */
export async function openOpenIdIssuer(): Promise<OpenIdIssuer> {
  const issuer = await startOpenIdIssuer();
  onTestFinished(() => issuer.close());
  return issuer;
}

export async function startOpenIdIssuer(): Promise<OpenIdIssuer> {
  const issuer = await startIssuer();
  const codes = new Map<string, Begun>();
  const { url } = issuer;
  issuer.answers["/.well-known/openid-configuration"] = (response) =>
    json(response, 200, {
      issuer: url,
      jwks_uri: `${url}/keys`,
      token_endpoint: `${url}/token`,
      authorization_endpoint: `${url}/authorize`,
      end_session_endpoint: `${url}/end`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      code_challenge_methods_supported: ["S256"],
    });
  issuer.answers["/token"] = async (response, request) => {
    const form = new URLSearchParams(await text(request));
    const { exchanges } = opened;
    exchanges.push({ form, authorization: request.headers.authorization });
    const begun = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      begun?.asked.get("code_challenge_method") === "S256" &&
      begun.asked.get("code_challenge") === challenge &&
      begun.asked.get("redirect_uri") === form.get("redirect_uri");
    if (!isRight) return json(response, 400, { error: "invalid_grant" });
    const claims = { nonce: begun.asked.get("nonce") ?? undefined, ...begun.person, ...opened.lies };
    const idToken = await issuer.token(begun.asked.get("client_id") ?? "", { claims, header: { typ: "JWT" } });
    json(response, 200, {
      access_token: "access-token-of-the-provider",
      refresh_token: "refresh-token-of-the-provider",
      token_type: "Bearer",
      expires_in: 3600,
      id_token: idToken,
      scope: opened.scope,
    });
  };
  const opened: OpenIdIssuer = Object.assign(issuer, {
    lies: {},
    scope: undefined,
    exchanges: [],
    signIn(address: string | null, person: Record<string, unknown> = { sub: "anna", name: "Anna" }) {
      const { searchParams: asked } = new URL(address ?? "");
      const code = `code-${codes.size}-${Math.random()}`;
      codes.set(code, { asked, person });
      const back = new URL(asked.get("redirect_uri") ?? "");
      back.search = String(new URLSearchParams({ code, state: asked.get("state") ?? "" }));
      return back;
    },
  });
  return opened;
}
