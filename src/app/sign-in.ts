import type { CredentialStore } from "../client/oauth/credential-store.ts";
import type { LoginOptions, SignInResult } from "../client/oauth/login.ts";
import type { Config } from "../config/config.ts";
import { DuetError } from "../kit/errors.ts";
import { toShortLine } from "../kit/text/sanitize.ts";
import { version } from "../kit/version.ts";

/** Defines how an interface lets a person sign in. */
export type SignInInterface = Pick<LoginOptions, "visit" | "paste" | "misread" | "signal">;

/** Has a person sign in to a server. Rejects with a `DuetError`, of code `config` where there is nothing to sign in to. */
export async function signIn(config: Config, name: string, signInInterface: SignInInterface): Promise<SignInResult> {
  const settings = config.servers.find((server) => server.name === name);
  if (settings === undefined) throw unknownServerError(config, name);
  const { signInToServer } = await import("../client/oauth/login.ts");
  return withCredentialStore(config, (store) =>
    signInToServer(settings, {
      ...signInInterface,
      store,
      locale: config.locale,
      clientInfo: { name: "duet", version },
    }),
  );
}

/** Forgets the sign-in to a server, also one that is not configured any more; whether there was one. */
export async function forgetSignIn(config: Config, name: string): Promise<boolean> {
  const isForgotten = await withCredentialStore(config, (store) => store.forget(name));
  if (!isForgotten && !config.servers.some((server) => server.name === name)) throw unknownServerError(config, name);
  return isForgotten;
}

/** Says of each server whether a person may sign in to it, and whether somebody has. */
export async function listSignIns(
  config: Config,
): Promise<ReadonlyMap<string, { isPossible: boolean; isSignedIn: boolean }>> {
  const [{ canPersonSignIn, getCredentialOwner }, { getTokens }] = await Promise.all([
    import("../client/oauth/auth.ts"),
    import("../client/oauth/credentials.ts"),
  ]);
  return withCredentialStore(config, async (store) => {
    const entries = config.servers.map(async (settings) => {
      const owner = getCredentialOwner(settings);
      const isPossible = canPersonSignIn(settings);
      const isSignedIn = isPossible && owner !== undefined && getTokens(await store.read(owner)) !== undefined;
      return [settings.name, { isPossible, isSignedIn }] as const;
    });
    return new Map(await Promise.all(entries));
  });
}

/** Does a work with the sign-ins that the configured store keeps. */
async function withCredentialStore<T>(config: Config, work: (store: CredentialStore) => Promise<T>): Promise<T> {
  const [{ createCredentialStore }, { withRecords }] = await Promise.all([
    import("../client/oauth/credential-store.ts"),
    import("./conversations/find-records.ts"),
  ]);
  return withRecords(config, (findRecords) => work(createCredentialStore(config.home, findRecords)));
}

/** Opens an address in the user's browser, where there is one. */
export async function openInBrowser(url: URL): Promise<void> {
  const { openBrowser } = await import("../client/oauth/open-browser.ts");
  openBrowser(url);
}

function unknownServerError({ servers }: Config, name: string): DuetError {
  const remote = servers.filter(({ transport }) => transport.type !== "stdio").map((server) => server.name);
  const allowed = remote.length === 0 ? undefined : toShortLine(remote.join(", "), 300);
  const shown = toShortLine(name, 100);
  return new DuetError({
    code: "config",
    text: {
      zh: `mcpServers 中没有服务器 ${shown}${allowed === undefined ? "；还没有配置用 url 连接的服务器" : `（允许：${allowed}）`}`,
      en: `there is no server ${shown} in mcpServers${allowed === undefined ? "; it has no server with a url" : ` (allowed: ${allowed})`}`,
    },
  });
}
