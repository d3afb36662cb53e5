import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import type { TabStorage } from "./tab-storage.ts";

/** Lists the members of a window that hold its address. */
interface AddressBar {
  readonly location: { readonly hash: string; readonly pathname: string; readonly search: string };
  readonly history: { replaceState(state: unknown, unused: string, place: string): void };
}

/** Takes the token of `#token=…` off the address, so that it is neither seen nor shared. */
export function takeToken({ location, history }: AddressBar): string | undefined {
  const words = new URLSearchParams(location.hash.slice(1));
  const token = words.get("token")?.trim() || undefined;
  const conversation = words.get("conversation");
  const hash = conversation === null ? "" : `#${new URLSearchParams({ conversation })}`;
  if (words.has("token")) history.replaceState(null, "", location.pathname + location.search + hash);
  return token;
}

/** Asks the server for the owner of a token. Rejects where it is nobody's, or the server cannot be reached. */
export type ReadOwner = (token: string) => Promise<string>;

/**
 * Keeps the token of a link for the next page of the tab. Where the tab already has another one, `ask` decides; what is in the tab is
 * left unless the server says that both are of one owner. Returns true when the tab has another token than before.
 */
export async function setLinkToken(
  given: string | undefined,
  keeper: TabStorage,
  ask: () => Promise<boolean>,
  readOwner: ReadOwner,
): Promise<boolean> {
  const before = keeper.token();
  if (given === undefined || given === before) return false;
  if (before !== undefined && !(await ask())) return false;
  const isOwned = before !== undefined || keeper.owner() !== undefined;
  const owner = isOwned
    ? await ignoreRejection(readOwner(given), "a token of nobody is not of the owner either")
    : undefined;
  keeper.keepToken(given);
  if (isOwned && (owner === undefined || owner !== keeper.owner())) keeper.markForRemoval();
  return true;
}

interface LinkEvents {
  addEventListener(name: string, act: (event: { stopImmediatePropagation(): void }) => void): void;
}

/** Passes on the token of each link that is followed while the page is open; the address names no conversation then. */
export function watchLinks(window: AddressBar & LinkEvents, onToken: (token: string) => void): void {
  for (const name of ["popstate", "hashchange"]) {
    window.addEventListener(name, (event) => {
      const token = takeToken(window);
      if (token === undefined) return;
      event.stopImmediatePropagation();
      onToken(token);
    });
  }
}
