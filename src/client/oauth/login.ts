import type { Implementation } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { DuetError, type ErrorDetails } from "../../kit/errors.ts";
import { openSession } from "../lifecycle/session.ts";
import { isWanted } from "../lists/tool-list.ts";
import { createAnswers } from "../questions/answers.ts";
import { createServerRedact, extendRedact } from "../redact.ts";
import { toStartError } from "../server-errors.ts";
import { createAuth, getCredentialOwner, hasOwnAuthorization } from "./auth.ts";
import { type AuthorizeOptions, authorize } from "./authorize.ts";
import type { CredentialOwner } from "./credential-store.ts";
import { toSignInError } from "./oauth-errors.ts";

export interface LoginOptions extends Omit<AuthorizeOptions, "settings" | "owner" | "challenge"> {
  clientInfo: Implementation;
  /** Limits the whole sign-in, in milliseconds. */
  limitMs?: number;
}

export interface SignInResult {
  toolCount: number;
  /** Is true when the user had to sign in, and false when the server accepted the existing credentials. */
  hasSignedIn: boolean;
}

const usualLimitMs = 300_000;

/** Limits the sign-ins; a server that still asks after so many would ask forever. */
const mostAttempts = 3;

/**
 * Connects to a server as its tools will, and has a person sign in as often as that takes. Rejects with a `DuetError`, or with the
 * signal's reason.
 */
export async function signInToServer(settings: ServerSettings, options: LoginOptions): Promise<SignInResult> {
  const owner = createPersonalOwner(settings);
  const { limitMs = usualLimitMs } = options;
  const error = timeoutError({ zh: `登录 ${settings.name}`, en: `Signing in to ${settings.name}` }, limitMs);
  const limit = createTimeLimit(limitMs, () => error, options.signal);
  try {
    return await startSignIn(settings, owner, { ...options, signal: limit.signal });
  } catch (thrown) {
    limit.signal.throwIfAborted();
    throw thrown;
  } finally {
    limit.clear();
  }
}

async function startSignIn(
  settings: ServerSettings,
  owner: CredentialOwner,
  options: LoginOptions,
): Promise<SignInResult> {
  const { store } = options;
  for (let attempts = 0; ; attempts += 1) {
    const { challenge } = await store.read(owner);
    const toolCount = challenge === undefined ? await countTools(settings, owner, options) : undefined;
    if (toolCount !== undefined) return { toolCount, hasSignedIn: attempts > 0 };
    if (attempts === mostAttempts) throw notSignedInError(settings, stillAsks);
    const wanted = challenge ?? (await store.read(owner)).challenge ?? {};
    await authorize({ ...options, settings, owner, challenge: wanted }).catch(async (thrown) => {
      throw notSignedInError(settings, await toSignInError(thrown));
    });
  }
}

/** Counts the tools that the server lists; undefined when it requires a user to sign in first. */
async function countTools(
  settings: ServerSettings,
  owner: CredentialOwner,
  { store, clientInfo, signal, world }: LoginOptions,
): Promise<number | undefined> {
  const sdk = await import("@modelcontextprotocol/client");
  const auth = createAuth(settings, store, world);
  const redact = extendRedact(createServerRedact(settings), () => auth?.secretValues() ?? []);
  try {
    const ignore = (): void => {};
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
        signal,
        onLost: ignore,
        onChanged: ignore,
      },
      undefined,
    );
    try {
      const { tools } = await session.list(signal);
      return tools.filter(({ name }) => isWanted(settings, name)).length;
    } finally {
      await session.close();
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if ((await store.read(owner)).challenge !== undefined) return undefined;
    throw toStartError(thrown, { settings, redact });
  }
}

/** Returns the owner of credentials that a user can obtain. Throws a `config` error for a server that needs no sign-in. */
function createPersonalOwner(settings: ServerSettings): CredentialOwner {
  const owner = getCredentialOwner(settings);
  const { name } = settings;
  if (owner === undefined) {
    throw notNeededError({
      zh: `${name} 是本机启动的程序，不需要登录（只有 url 服务器才需要）`,
      en: `${name} is a program that Duet starts, and needs no sign-in (only servers with a url do)`,
    });
  }
  if (settings.auth?.type === "client_credentials") {
    throw notNeededError({
      zh: `${name} 使用 client_credentials，会自动登录`,
      en: `${name} uses client_credentials and signs in by itself`,
    });
  }
  if (hasOwnAuthorization(settings)) {
    throw notNeededError({
      zh: `${name} 使用配置中的 Authorization，不需要登录`,
      en: `${name} uses the Authorization header of its configuration and needs no sign-in`,
    });
  }
  return owner;
}

function notNeededError(text: DuetError["text"]): DuetError {
  return new DuetError({ code: "config", text });
}

const stillAsks: ErrorDetails = {
  code: "auth",
  text: {
    zh: `登录了 ${mostAttempts} 次，它仍然要求登录`,
    en: `it still asks for a sign-in after ${mostAttempts} attempts`,
  },
};

function notSignedInError({ name }: ServerSettings, { code, text, hint, retryable }: ErrorDetails): DuetError {
  return new DuetError({
    code,
    text: { zh: `未能登录 ${name}：${text.zh}`, en: `Not signed in to ${name}: ${text.en}` },
    ...(hint !== undefined && { hint }),
    ...(retryable !== undefined && { retryable }),
  });
}
