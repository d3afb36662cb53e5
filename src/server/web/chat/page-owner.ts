import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { Send } from "./api/sender.ts";
import type { TabStorage } from "./storage/tab-storage.ts";

/** Says for whom the page works. The server says who asks; what is in the tab belongs to its owner alone. */
export interface PageOwner {
  /** Resolves with the owner when the server has said for the first time that the tab is of whoever asks. */
  readonly known: Promise<string>;
  /**
   * Resolves when whoever asks is the owner of the tab, and never where it is somebody else. Rejects where the server does not say who
   * asks; the next call asks it again.
   */
  confirm(): Promise<void>;
  /** Asks the server anew, because another tab may have signed somebody else in. What is sent from now on waits for the answer. */
  renew(): void;
  /** Takes over whom the server has let in. Returns false where the tab is somebody else's; the page begins anew then. */
  admitOwner(owner: string): boolean;
}

export interface PageOwnerOptions {
  readonly keeper: Pick<TabStorage, "owner" | "keepOwner" | "markForRemoval">;
  /** Asks the server for the owner. Rejects where it refuses to say. */
  readOwner(): Promise<string>;
  /** Runs when the tab turns out to be somebody else's. */
  onAnother(): void;
}

export function createPageOwner({ keeper, readOwner, onAnother }: PageOwnerOptions): PageOwner {
  const known = Promise.withResolvers<string>();
  let asked: Promise<void> | undefined;
  let isLeft = false;

  function admitOwner(owner: string): boolean {
    const isOwn = !isLeft && (keeper.owner() ?? owner) === owner;
    if (isOwn) {
      keeper.keepOwner(owner);
      known.resolve(owner);
    } else {
      isLeft = true;
      keeper.markForRemoval();
      onAnother();
    }
    return isOwn;
  }

  function ask(): Promise<void> {
    const answer: Promise<void> = readOwner().then(
      (owner) => (admitOwner(owner) ? undefined : new Promise<never>(() => {})),
      (refused: unknown) => {
        if (asked === answer) asked = undefined;
        throw refused;
      },
    );
    return answer;
  }

  const confirm = (): Promise<void> => {
    asked ??= ask();
    return asked;
  };
  return {
    known: known.promise,
    admitOwner,
    confirm,
    renew() {
      asked = undefined;
      void ignoreRejection(confirm(), "whatever is sent next asks again, and says why it cannot be sent");
    },
  };
}

/** Sends what changes something on the server as the owner of the tab, never as somebody else. What only reads is sent at once. */
export function createOwnerSender(send: Send, owner: Pick<PageOwner, "confirm">): Send {
  return async (method, path, sending) => {
    if (method !== "GET") await owner.confirm();
    return send(method, path, sending);
  };
}
