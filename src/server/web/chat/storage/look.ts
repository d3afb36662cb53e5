import { isRecord } from "../../../../kit/json.ts";
import type { Theme } from "../views/page-model.ts";

/** Holds how this browser shows the page. */
export interface Look {
  readonly theme: Theme;
  /** Is true while the list of conversations is out of sight, on wide screens. */
  readonly isFolded: boolean;
}

export interface LookKeeper {
  read(): Look;
  keep(look: Look): void;
}

const name = "duet.look";

/** Nothing is kept when the browser denies access to its storage. */
export function createLookKeeper(storage: () => Storage): LookKeeper {
  return {
    read() {
      try {
        return readLook(JSON.parse(storage().getItem(name) ?? "null"));
      } catch {
        return readLook(undefined);
      }
    },
    keep(look) {
      try {
        storage().setItem(name, JSON.stringify(look));
      } catch {
        // The page looks as it does until it is closed.
      }
    },
  };
}

function readLook(value: unknown): Look {
  const { theme, isFolded } = isRecord(value) ? value : {};
  return { theme: theme === "light" || theme === "dark" ? theme : "auto", isFolded: isFolded === true };
}
