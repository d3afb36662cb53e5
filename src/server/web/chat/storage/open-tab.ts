import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import { createKey } from "../create-key.ts";

/** Names this tab of an owner, and tells which tabs are open. */
export interface OpenTab {
  readonly id: string;
  /** Is the name that a version before this one gave the tab, whoever had it. */
  readonly formerId: string | undefined;
  /** Returns undefined where the browser does not say. */
  listOpen(): Promise<ReadonlySet<string> | undefined>;
}

const idName = "duet.tab";
const leftName = "duet.tab.left";
const lockPrefix = "duet.tab.";

/**
 * Finds the name that this tab has for its owner, which it has again after a reload and after somebody else had the tab. A tab that was copied has the storage of the other one, and gets a name
 * of its own. An open tab holds a lock of its name.
 */
export async function openTab(window: Window, owner: string): Promise<OpenTab> {
  const { navigator } = window;
  const storage = findStorage(window);
  // Pages that are not served securely have no locks.
  const locks = "locks" in navigator ? navigator.locks : undefined;
  const name = `${idName} ${owner}`;
  const known = storage?.getItem(name) ?? undefined;
  const isBack = storage !== undefined && storage.getItem(leftName) !== null;
  storage?.removeItem(leftName);
  window.addEventListener("pagehide", () => storage?.setItem(leftName, "1"));
  window.addEventListener("pageshow", () => storage?.removeItem(leftName));
  const isFree = known !== undefined && (isBack || (await listLocks(locks))?.has(known) !== true);
  const id = isFree ? known : createKey();
  if (storage !== undefined) keepId(storage, name, id);
  const never = new Promise<never>(() => {});
  void ignoreRejection(
    locks?.request(lockPrefix + id, () => never),
    "the lock is held until the page goes",
  );
  const formerId = storage?.getItem(idName) ?? undefined;
  return { id, formerId, listOpen: () => listLocks(locks) };
}

function keepId(storage: Storage, name: string, id: string): void {
  try {
    storage.setItem(name, id);
  } catch {
    // In a full storage the tab has another name after a reload.
  }
}

/** Returns undefined where the browser denies access to its storage. */
function findStorage(window: Window): Storage | undefined {
  try {
    return window.sessionStorage;
  } catch {
    return undefined;
  }
}

/** Returns undefined where the browser has no locks, or denies access to them. */
async function listLocks(locks: LockManager | undefined): Promise<ReadonlySet<string> | undefined> {
  const found = await ignoreRejection(locks?.query(), "a browser without locks does not say which tabs are open");
  if (found === undefined) return undefined;
  const { held = [], pending = [] } = found;
  const names = [...held, ...pending].map(({ name = "" }) => name).filter((name) => name.startsWith(lockPrefix));
  return new Set(names.map((name) => name.slice(lockPrefix.length)));
}
