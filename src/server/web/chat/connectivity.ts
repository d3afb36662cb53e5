import type { Store } from "./state/store.ts";

/** Told by each who talks with the server whether it cannot be reached; the page says so as long as one of them says so. */
export type ReportConnectivity = (who: string, isLost: boolean) => void;

export function createConnectivity(store: Store): ReportConnectivity {
  const lost = new Set<string>();
  return (who, isLost) => {
    if (isLost) lost.add(who);
    else lost.delete(who);
    store.change((chat) => (chat.isLost === lost.size > 0 ? chat : { ...chat, isLost: lost.size > 0 }));
  };
}
