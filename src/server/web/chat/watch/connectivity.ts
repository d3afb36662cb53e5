import type { Store } from "../state/chat-state.ts";
import { forgetUnreached } from "../state/problems.ts";

/**
 * All parts that talk to the server say whether it is unreachable. The page shows the problem while any of them
 * reports it.
 */
export type ReportConnectivity = (who: string, isLost: boolean) => void;

export function createConnectivity(store: Store): ReportConnectivity {
  const lost = new Set<string>();
  return (who, isLost) => {
    if (isLost) lost.add(who);
    else lost.delete(who);
    const isAnyLost = lost.size > 0;
    store.change((chat) => {
      if (chat.isLost === isAnyLost) return chat;
      return { ...(isAnyLost ? chat : forgetUnreached(chat)), isLost: isAnyLost };
    });
  };
}
