import type { TabStorage } from "../storage/tab-storage.ts";

/** Requests that the server refuses for a missing token wait here. */
export interface SignInGate {
  /** Resolves when a token has been given, which may be the wrong one again. */
  signIn(): Promise<void>;
  setToken(token: string): void;
}

/** Calls `ask` to request a token; its argument tells whether a previous token was wrong. */
export function createSignInGate(keeper: TabStorage, ask: (isWrong: boolean) => void): SignInGate {
  let waiting: (() => void)[] = [];
  return {
    signIn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        ask(keeper.token() !== undefined);
      }),
    setToken(token) {
      keeper.keepToken(token);
      const released = waiting;
      waiting = [];
      for (const go of released) go();
    },
  };
}
