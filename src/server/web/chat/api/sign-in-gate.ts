import type { TabStorage } from "../storage/tab-storage.ts";

/** Where requests wait that the server refuses for want of a token. */
export interface SignInGate {
  /** Resolves when a token has been given, which may be the wrong one again. */
  signIn(): Promise<void>;
  give(token: string): void;
}

/** `ask` asks for a token, and is told whether there was one. */
export function createSignInGate(keeper: TabStorage, ask: (isWrong: boolean) => void): SignInGate {
  let waiting: (() => void)[] = [];
  return {
    signIn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        ask(keeper.token() !== undefined);
      }),
    give(token) {
      keeper.keepToken(token);
      const released = waiting;
      waiting = [];
      for (const go of released) go();
    },
  };
}
