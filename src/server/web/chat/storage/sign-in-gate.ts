import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import type { ReadOwner } from "./link-token.ts";
import type { TabStorage } from "./tab-storage.ts";

/** Requests that the server refuses for a missing token wait here. */
export interface SignInGate {
  /** Is the token that the requests of this page carry. */
  token(): string | undefined;
  /** Resolves when a token of the owner of the tab has been given. */
  signIn(): Promise<void>;
  /** Returns false where the token is nobody's. That of somebody else than the owner of the tab is for its next page. */
  setToken(token: string): Promise<boolean>;
}

export interface SignInGateOptions {
  readonly keeper: TabStorage;
  /** Requests a token; the argument tells whether a previous one was wrong. */
  ask(isWrong: boolean): void;
  readonly readOwner: ReadOwner;
  /** Takes over who has been let in; false where the tab is somebody else's. */
  enter(owner: string): boolean;
}

export function createSignInGate({ keeper, ask, readOwner, enter }: SignInGateOptions): SignInGate {
  let token = keeper.token();
  let waiting: (() => void)[] = [];
  return {
    token: () => token,
    signIn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        ask(token !== undefined);
      }),
    async setToken(given) {
      const owner = await ignoreRejection(readOwner(given), "the person is asked for another token");
      if (owner === undefined) return false;
      keeper.keepToken(given);
      // What waits was asked by the owner of the tab.
      if (!enter(owner)) return true;
      token = given;
      const released = waiting;
      waiting = [];
      for (const go of released) go();
      return true;
    },
  };
}
