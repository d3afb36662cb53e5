import { isRecord } from "../../../../kit/json.ts";
import { removeDrafts } from "./drafts.ts";
import type { TabStorage } from "./tab-storage.ts";

/** Tells all tabs of the browser who has signed out, also those that are opened, or come back, later. */
export interface SignOuts {
  /** Returns true where the owner of the tab has signed out, in whatever tab, since this tab got its token. */
  hasEnded(): boolean;
  /** Tells that the owner of the tab signs out. */
  record(): void;
  /** Forgets the token, its owner and what the owner wrote in this tab. */
  forget(): void;
}

export interface SignOutsOptions {
  readonly keeper: TabStorage;
  /** Is the storage that all tabs share. */
  shared(): Storage;
  /** Is the storage of the tab. */
  own(): Storage;
}

/** Names the record, which maps owners to when they signed out, in milliseconds since 1970. */
const signOutsName = "duet.signed-out";

/** A tab is signed out alone where the browser denies access to its storage. */
export function createSignOuts({ keeper, shared, own }: SignOutsOptions): SignOuts {
  const read = (): Readonly<Record<string, unknown>> => {
    try {
      const known: unknown = JSON.parse(shared().getItem(signOutsName) ?? "{}");
      return isRecord(known) ? known : {};
    } catch {
      return {};
    }
  };
  return {
    hasEnded() {
      const [owner, since] = [keeper.owner(), keeper.tokenSince()];
      const at = owner === undefined ? undefined : read()[owner];
      return keeper.token() !== undefined && typeof at === "number" && since <= at;
    },
    record() {
      const owner = keeper.owner();
      if (owner === undefined) return;
      try {
        shared().setItem(signOutsName, JSON.stringify({ ...read(), [owner]: Date.now() }));
      } catch {
        // The other tabs keep their token until they are closed.
      }
    },
    forget() {
      const owner = keeper.owner();
      if (owner !== undefined) removeDrafts(own, owner);
      keeper.forgetToken();
    },
  };
}
