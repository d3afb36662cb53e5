import type { AuthProvider } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import type { Fetch } from "../transport/limited-fetch.ts";
import type { CredentialOwner, CredentialStore, LockedCredentials } from "./credential-store.ts";
import { type Challenge, type Credentials, getTokens, listSecrets, type Tokens } from "./credentials.ts";
import { loginRequiredError, scopeRequiredError, toSignInError } from "./oauth-errors.ts";
import { createOAuthFetch, type OAuthWorld } from "./oauth-fetch.ts";
import { refreshTokens, removeTokens, requestClientTokens } from "./renewal.ts";

/** Handles the sign-in to one server for its transport. It never opens a browser: that is what `duet login` is for. */
export interface Auth extends AuthProvider {
  onUnauthorized: NonNullable<AuthProvider["onUnauthorized"]>;
  /** Wraps what the transport fetches with, so that refusals of it are understood. */
  watch(fetch: Fetch): Fetch;
  /** Forgets the tokens in memory, so that those that are stored by then count. */
  forget(): void;
  /** Returns all secrets used in this process, for redaction. */
  secretValues(): readonly string[];
}

/** Limits a renewal, in milliseconds, including the wait for other processes. */
const renewalLimitMs = 45_000;

/** Tokens are renewed this many milliseconds before they expire. */
const headroomMs = 10_000;

/**
 * Creates the sign-in that a server is configured with or asks for. Returns undefined when none is needed: for a stdio server,
 * or one whose configuration sets its own `Authorization`. Its failures are `DuetError`s.
 */
export function createAuth(settings: ServerSettings, store: CredentialStore, world: OAuthWorld = {}): Auth | undefined {
  const owner = getCredentialOwner(settings);
  if (owner === undefined || hasOwnAuthorization(settings)) return undefined;
  const server = new URL(owner.url);
  const isOwnSignIn = settings.auth?.type === "client_credentials";
  const secrets = new Set<string>(settings.auth?.clientSecret === undefined ? [] : [settings.auth.clientSecret]);
  const refusals = new WeakMap<Response, Refusal>();
  let tokens: Tokens | undefined;
  /** Holds a token from a renewal that the server has not accepted yet. */
  let untried: string | undefined;

  function adoptCredentials(credentials: Credentials): void {
    tokens = getTokens(credentials);
    for (const secret of listSecrets(credentials)) secrets.add(secret);
  }

  async function renewCredentials(refused: string | undefined, challenge: Challenge): Promise<void> {
    const error = timeoutError({ zh: "登录续期", en: "Renewing the sign-in" }, renewalLimitMs);
    const limit = createTimeLimit(renewalLimitMs, () => error);
    try {
      await runExclusively(limit.signal, (held) => renewLocked(held, refused, challenge));
    } catch (thrown) {
      throw limit.signal.aborted ? error : await toSignInError(thrown);
    } finally {
      limit.clear();
    }
  }

  /** Where the folder cannot be written, this process goes on with what it has in memory. */
  async function runExclusively(signal: AbortSignal, work: (held: LockedCredentials) => Promise<void>): Promise<void> {
    let hasBegun = false;
    try {
      await store.exclusively(known, signal, (held) => {
        hasBegun = true;
        return work({
          ...held,
          save: (changed) =>
            ignoreRejection(held.save(changed), "tokens that cannot be kept serve this process all the same"),
        });
      });
    } catch (thrown) {
      if (hasBegun || signal.aborted || store.isShared) throw thrown;
      await work({ credentials: await store.read(known), signal, save: async () => {} });
    }
  }

  async function renewLocked(
    { credentials, signal, save }: LockedCredentials,
    refused: string | undefined,
    challenge: Challenge,
  ): Promise<void> {
    adoptCredentials(credentials);
    // Another process, or another call, was faster.
    if (tokens !== undefined && tokens.access !== refused && !isOver(tokens)) return;
    const { resourceMetadataUrl = credentials.resourceMetadataUrl } = challenge;
    const before = { ...credentials, ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }) };
    const sdk = await import("@modelcontextprotocol/client");
    const renewal = {
      sdk,
      settings,
      server,
      fetch: createOAuthFetch(server, signal, { network: settings.network, ...world }),
    };
    const renewed = isOwnSignIn ? await requestClientTokens(renewal, before) : await refreshTokens(renewal, before);
    if (renewed === undefined) {
      await save({ ...removeTokens(before), challenge });
      tokens = undefined;
      throw loginRequiredError(settings.name);
    }
    await save(renewed);
    adoptCredentials(renewed);
    untried = tokens?.access;
  }

  /** Keeps what the server asks for, so that the next `duet login` asks for it; `dropsTokens`: they are of no use any more. */
  async function keepChallenge(challenge: Challenge, dropsTokens: boolean): Promise<void> {
    await ignoreRejection(
      runExclusively(AbortSignal.timeout(renewalLimitMs), async ({ credentials, save }) => {
        await save({ ...(dropsTokens ? removeTokens(credentials) : credentials), challenge });
        if (dropsTokens) tokens = undefined;
      }),
      "the next refusal asks for the same again",
    );
  }

  const known: CredentialOwner = owner;
  return {
    async token() {
      if (tokens === undefined) adoptCredentials(await store.read(known));
      if (tokens !== undefined && isOver(tokens) && (tokens.refresh !== undefined || isOwnSignIn)) {
        await renewCredentials(tokens.access, {});
      }
      return tokens?.access;
    },
    async onUnauthorized({ response }) {
      const { token, missing } = refusals.get(response) ?? {};
      if (missing === undefined || isOwnSignIn)
        return renewCredentials(token, missing ?? (await readChallenge(response)));
      adoptCredentials(await store.read(known));
      // A person has signed in with more rights since.
      if (tokens !== undefined && tokens.access !== token) return;
      await keepChallenge(missing, false);
      throw scopeRequiredError(settings.name, missing.scope);
    },
    watch: (fetch) => async (url, init) => {
      const token = getBearer(init);
      const response = await fetch(url, init);
      if (response.ok && token === untried) untried = undefined;
      if (response.status === 401 && token !== undefined && token === untried && !isOwnSignIn) {
        await keepChallenge(await readChallenge(response), true);
      }
      const missing = response.status === 403 ? await findMissingScope(response, tokens?.scope) : undefined;
      const shown = missing === undefined ? response : toUnauthorized(response);
      if (token !== undefined) refusals.set(shown, { token, missing });
      return shown;
    },
    forget() {
      tokens = undefined;
    },
    secretValues: () => [...secrets],
  };
}

interface Refusal {
  token: string;
  /** Is set when the token is valid but the server asks for more. */
  missing: Challenge | undefined;
}

/** Converts a missing scope to a 401, the form in which transports hand refusals to us. */
function toUnauthorized(response: Response): Response {
  void ignoreRejection(response.body?.cancel(), "the body is not read");
  return new Response(null, { status: 401, headers: response.headers });
}

/** Returns the owner of a server's credentials; undefined for a stdio server. */
export function getCredentialOwner({ name, transport }: ServerSettings): CredentialOwner | undefined {
  return transport.type === "stdio" ? undefined : { name, url: new URL(transport.url).href };
}

/** Returns true when the configuration sets its own `Authorization` header. */
export function hasOwnAuthorization({ transport }: ServerSettings): boolean {
  return transport.type !== "stdio" && Object.keys(transport.headers).some((name) => /^authorization$/i.test(name));
}

/** Returns true where a person may sign in: neither the configuration nor the server itself does it otherwise. */
export function canPersonSignIn(settings: ServerSettings): boolean {
  const isOwnSignIn = settings.auth?.type === "client_credentials";
  return getCredentialOwner(settings) !== undefined && !isOwnSignIn && !hasOwnAuthorization(settings);
}

function isOver({ expiresAt }: Tokens): boolean {
  return expiresAt !== undefined && expiresAt - headroomMs < Date.now();
}

function getBearer(init: RequestInit | undefined): string | undefined {
  return /^Bearer (.+)$/.exec(new Headers(init?.headers).get("authorization") ?? "")?.[1];
}

async function readChallenge(response: Response): Promise<Challenge> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: resourceMetadataUrl.href }),
    ...(scope !== undefined && { scope }),
  };
}

/** Returns the challenge with the granted and the missing scopes together; undefined for a 403 of another kind. */
async function findMissingScope(response: Response, granted: string | undefined): Promise<Challenge | undefined> {
  const { computeScopeUnion, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  if (extractWWWAuthenticateParams(response).error !== "insufficient_scope") return undefined;
  const challenge = await readChallenge(response);
  const scope = computeScopeUnion(granted, challenge.scope);
  return { ...challenge, ...(scope !== undefined && { scope }) };
}
