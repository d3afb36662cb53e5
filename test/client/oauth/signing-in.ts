// What the tests of sign-in share: a browser that obeys, a login, and a session opened as the pool opens it.
import * as sdk from "@modelcontextprotocol/client";
import { openSession, type Session } from "../../../src/client/lifecycle/session.ts";
import { createAuth } from "../../../src/client/oauth/auth.ts";
import type { CredentialStore } from "../../../src/client/oauth/credential-store.ts";
import { type LoginOptions, type SignInResult, signInToServer } from "../../../src/client/oauth/login.ts";
import { createAnswers } from "../../../src/client/questions/answers.ts";
import { createServerRedact } from "../../../src/client/redact.ts";
import type { ServerSettings } from "../../../src/config/config.ts";
import { http } from "../servers.ts";

export const clientInfo = { name: "duet-test", version: "0" };

/** Follows the authorization server's redirect back to the listener, and gives the page that it ends at. */
export async function browse(url: URL): Promise<{ status: number; text: string; returned: URL }> {
  const response = await fetch(url, { redirect: "manual" });
  const returned = new URL(response.headers.get("location") ?? "", url);
  const page = await fetch(returned);
  return { status: page.status, text: await page.text(), returned };
}

export function signIn(
  settings: ServerSettings,
  store: CredentialStore,
  more: Partial<LoginOptions> = {},
): Promise<SignInResult> {
  const visit = (url: URL): void => void browse(url).catch(() => {});
  const signal = AbortSignal.timeout(20_000);
  return signInToServer(settings, { store, clientInfo, locale: "en", visit, misread: () => {}, signal, ...more });
}

export interface OpenSession {
  session: Session;
  secretValues(): readonly string[];
}

/** Opens a session with what the store knows, and nobody to ask. */
export async function open(settings: ServerSettings, store: CredentialStore): Promise<OpenSession> {
  const auth = createAuth(settings, store);
  const nothing = (): void => {};
  const redact = createServerRedact(settings);
  const session = await openSession(
    {
      sdk,
      settings,
      clientInfo,
      redact,
      answers: createAnswers({ settings, sample: undefined, redact }),
      canSample: false,
      era: "legacy",
      auth,
      signal: AbortSignal.timeout(20_000),
      onLost: nothing,
      onChanged: nothing,
    },
    undefined,
  );
  return { session, secretValues: () => auth?.secretValues() ?? [] };
}

/** Calls the one tool of the protected server. */
export async function whoami({ session }: OpenSession): Promise<unknown> {
  const { tools } = await session.list(AbortSignal.timeout(10_000));
  const [tool] = tools;
  if (tool === undefined) throw new Error("The server lists no tool");
  const pause = () => (): void => {};
  return session.call(tool, {}, { signal: AbortSignal.timeout(10_000), onProgress: () => {}, pause });
}

export const protectedBy = (url: string, auth?: ServerSettings["auth"]): ServerSettings =>
  http(url, { excludeTools: ["hidden"], ...(auth && { auth }) });
