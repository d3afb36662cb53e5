import type { Reader } from "./reader.ts";

/** Keeps other lines off the screen while a question stands there, so that nothing that comes meanwhile can pass for one. */
export interface QuietScreen {
  /** Asks a question, which stays until it is answered or can no longer be. */
  ask: Reader["ask"];
  /** Settles when no question stands there. Never rejects. */
  free(): Promise<void>;
}

export function createQuietScreen(ask: Reader["ask"]): QuietScreen {
  let standing: Promise<void> | undefined;
  return {
    ask(query, signal) {
      const answer = ask(query, signal);
      const mine = answer.then(ignoreCall, ignoreCall).then(() => {
        if (standing === mine) standing = undefined;
      });
      standing = mine;
      return answer;
    },
    async free() {
      while (standing) await standing;
    },
  };
}

function ignoreCall(): void {}
