import { ApiError } from "../api/api-error.ts";
import type { ReadOwner } from "./link-token.ts";
import type { TabStorage } from "./tab-storage.ts";

/** Says what became of a token: the server may not know it, or may not say whose it is. */
export type TokenResult = "accepted" | "unknown" | "refused";

/** Requests that the server refuses for a missing token wait here. */
export interface SignInGate {
  /** Is the token that the requests of this page carry. */
  token(): string | undefined;
  /** Resolves when a token of the owner of the tab has been given. `refused` is what the server said of the last one. */
  signIn(signal?: AbortSignal, refused?: ApiError): Promise<void>;
  /** Takes a token. That of somebody else than the owner of the tab is for its next page. */
  setToken(token: string): Promise<TokenResult>;
}

export interface SignInGateOptions {
  readonly keeper: TabStorage;
  /** Requests a token; the argument tells whether a previous one was wrong. */
  ask(isWrong: boolean): void;
  readonly readOwner: ReadOwner;
  /** Takes over who has been let in; false where the tab is somebody else's. */
  admitOwner(owner: string): boolean;
  /** Says why the server does not take a token, or does not tell whose it is. */
  onRefusal(reason: ApiError): void;
}

export function createSignInGate({ keeper, ask, readOwner, admitOwner, onRefusal }: SignInGateOptions): SignInGate {
  let token = keeper.token();
  let waiting: (() => void)[] = [];
  return {
    token: () => token,
    signIn: (_, refused) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (token !== undefined && refused !== undefined) onRefusal(refused);
        ask(token !== undefined);
      }),
    async setToken(given) {
      const owner = await readOwner(given).catch(toRefusal);
      if (owner instanceof ApiError) {
        onRefusal(owner);
        return owner.status === 401 ? "unknown" : "refused";
      }
      keeper.keepToken(given);
      // What waits was asked by the owner of the tab.
      if (!admitOwner(owner)) return "accepted";
      token = given;
      const released = waiting;
      waiting = [];
      for (const go of released) go();
      return "accepted";
    },
  };
}

function toRefusal(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  throw thrown;
}
