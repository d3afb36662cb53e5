import { createServer, type ServerResponse } from "node:http";
import type { ServerSettings } from "../../config/config.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import type { CredentialOwner, CredentialStore } from "./credential-store.ts";
import type { Challenge, Credentials } from "./credentials.ts";
import { createLoginProvider, type LoginProvider } from "./login-provider.ts";
import { createOAuthFetch, type OAuthWorld } from "./oauth-fetch.ts";

export interface AuthorizeOptions {
  settings: ServerSettings;
  owner: CredentialOwner;
  store: CredentialStore;
  challenge: Challenge;
  /** Shows the person where to sign in, and opens it where that is possible. */
  visit(url: URL): void;
  /** Returns the next line that the user pastes, for a browser on another machine; undefined when no more come. Never rejects. */
  paste?: (() => Promise<string | undefined>) | undefined;
  /** Runs after a pasted line that is not the address of this sign-in. */
  misread(): void;
  locale: Locale;
  signal: AbortSignal;
  world?: OAuthWorld | undefined;
}

/**
 * Has a person sign in at a browser, and keeps what comes of it. `again`: the authorization server did not know us any more, which
 * another try may repair. Rejects with the package's errors, a `DuetError`, or the signal's reason.
 */
export async function authorize(options: AuthorizeOptions): Promise<"done" | "again"> {
  const { settings, owner, store, locale, signal } = options;
  let provider: LoginProvider | undefined;
  const isOurs = (parameters: URLSearchParams): boolean => provider?.isOurs(parameters) ?? false;
  const port = settings.auth?.callbackPort;
  const listener = await openListener(port, await store.read(owner), { isOurs, locale });
  provider = createLoginProvider({ settings, owner, store, signal, redirectUrl: listener.redirectUrl });
  let outcome: "done" | "failed" = "failed";
  try {
    await exchangeCode(provider, listener, options);
    outcome = "done";
    return "done";
  } catch (thrown) {
    if (provider.isForgotten) return "again";
    throw thrown;
  } finally {
    await listener.close(outcome);
  }
}

async function exchangeCode(
  provider: LoginProvider,
  listener: CallbackListener,
  { settings, owner, challenge, signal, visit, paste, misread, world }: AuthorizeOptions,
): Promise<void> {
  const sdk = await import("@modelcontextprotocol/client");
  const server = new URL(owner.url);
  const fetch = createOAuthFetch(server, signal, { network: settings.network, ...world });
  const scope = getWantedScope(settings, challenge);
  const { resourceMetadataUrl } = challenge;
  await sdk.auth(provider, {
    serverUrl: server,
    fetchFn: fetch,
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
  });
  const { authorizationUrl } = provider;
  if (authorizationUrl === undefined) return;
  visit(authorizationUrl);
  const answers = [listener.called, ...(paste ? [readPasted(paste, provider, misread)] : [])];
  const parameters = await waitAbortable(Promise.race(answers), signal);
  // The transport is never started: only it checks who answers before it reads what the answer says.
  const transport = new sdk.StreamableHTTPClientTransport(server, { authProvider: provider, fetch });
  await waitAbortable(transport.finishAuth(parameters), signal);
}

/** Keeps the configured scopes and adds the missing ones. */
function getWantedScope({ auth }: ServerSettings, { scope }: Challenge): string | undefined {
  const scopes = new Set(`${auth?.scope ?? ""} ${scope ?? ""}`.split(" ").filter((each) => each !== ""));
  return scopes.size === 0 ? undefined : [...scopes].join(" ");
}

/** Prefers the port of the last registration when it is free, since many authorization servers compare it. */
async function openListener(
  configured: number | undefined,
  { issuer, issuers }: Credentials,
  options: Parameters<typeof listenForCallback>[1],
): Promise<CallbackListener> {
  if (configured !== undefined) {
    return listenForCallback(configured, options).catch(() => {
      throw takenPortError(configured);
    });
  }
  const [registered] = (issuer === undefined ? undefined : issuers[issuer]?.client?.redirectUris) ?? [];
  const before = Number(URL.parse(registered ?? "")?.port);
  if (!before) return listenForCallback(undefined, options);
  return listenForCallback(before, options).catch(() => listenForCallback(undefined, options));
}

function takenPortError(port: number): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `auth.callbackPort ${port} 无法监听，可能已被占用`,
      en: `cannot listen on auth.callbackPort ${port}; it may be in use`,
    },
  });
}

/** Never settles when the lines end: the browser may still come. */
async function readPasted(
  paste: NonNullable<AuthorizeOptions["paste"]>,
  provider: LoginProvider,
  misread: () => void,
): Promise<URLSearchParams> {
  for (;;) {
    const line = await paste();
    if (line === undefined) return new Promise(() => {});
    const parameters = URL.parse(line.trim())?.searchParams;
    if (parameters && provider.isOurs(parameters)) return parameters;
    if (line.trim() !== "") misread();
  }
}

/** Receives the browser's redirect, on this machine only. */
interface CallbackListener {
  readonly redirectUrl: string;
  /** Resolves to the parameters of the first call that `isOurs` accepts. */
  readonly called: Promise<URLSearchParams>;
  /** Tells the browser how it ended, and closes. */
  close(outcome: "done" | "failed"): Promise<void>;
}

const path = "/callback";

/** Listens on a port, or on any free one when that is undefined. Rejects with what the system says. */
async function listenForCallback(
  port: number | undefined,
  { isOurs, locale }: { isOurs(parameters: URLSearchParams): boolean; locale: Locale },
): Promise<CallbackListener> {
  const { promise: called, resolve } = Promise.withResolvers<URLSearchParams>();
  let waiting: ServerResponse | undefined;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1");
    if (request.method !== "GET" || url?.pathname !== path) return void response.writeHead(404).end();
    if (waiting !== undefined || !isOurs(url.searchParams)) {
      return void response.writeHead(400, callbackHeaders).end(renderCallbackPage("stranger", locale));
    }
    waiting = response;
    resolve(url.searchParams);
  });
  await new Promise<void>((done, fail) => server.once("error", fail).listen(port ?? 0, "127.0.0.1", done));
  server.on("error", () => {});
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  return {
    redirectUrl: `http://127.0.0.1:${taken}${path}`,
    called,
    async close(outcome) {
      const page = waiting;
      if (page !== undefined && !page.destroyed) {
        page.writeHead(outcome === "done" ? 200 : 400, callbackHeaders);
        await new Promise<void>((done) => page.once("close", done).end(renderCallbackPage(outcome, locale)));
      }
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Selects the page that the browser shows at the end of a sign-in. */
type CallbackOutcome = "done" | "failed" | "stranger";

const titles: Record<CallbackOutcome, Text> = {
  done: { zh: "登录完成", en: "Signed in" },
  failed: { zh: "登录没有成功", en: "The sign-in failed" },
  stranger: { zh: "没有对应的登录正在进行", en: "No such sign-in is in progress" },
};

const advice: Record<CallbackOutcome, Text> = {
  done: {
    zh: "请回到终端或 Duet 的网页，可以关闭此页。",
    en: "Go back to the terminal, or to the page of Duet; you can close this one.",
  },
  failed: {
    zh: "请回到终端或 Duet 的网页查看原因。",
    en: "Go back to the terminal, or to the page of Duet, to see why.",
  },
  stranger: { zh: "请回到终端，重新运行 duet login。", en: "Go back to the terminal and run duet login again." },
};

/** Renders a page of fixed words: nothing of the requested address appears on it. */
function renderCallbackPage(outcome: CallbackOutcome, locale: Locale): string {
  const [title, text] = [titles[outcome][locale], advice[outcome][locale]];
  return `<!doctype html><html lang="${locale}"><meta charset="utf-8"><title>Duet</title><h1>${title}</h1><p>${text}</p></html>\n`;
}

const callbackHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};
