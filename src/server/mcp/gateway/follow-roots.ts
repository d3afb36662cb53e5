import type { McpServer } from "@modelcontextprotocol/server";
import type { Gateway } from "../../../app/tools/gateway.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";

/** Limits the directories of one host. */
const most = 100;

/**
 * Limits how long a host may take to list them, in milliseconds, one question after the other. Over HTTP a question is lost until the
 * host has opened its stream, which it does some time after its session has begun.
 */
const patienceMs = [500, 1000, 2000, 4000, 8000, 16_000];

/** Passes the directories of a host of the 2025 era on, now and each time the host says that they have changed. */
export function followRoots({ server }: McpServer, gateway: Pick<Gateway, "setHostRoots">): void {
  if (server.getClientCapabilities()?.roots === undefined) return;
  let asked = 0;

  async function passRootsOn(): Promise<void> {
    asked += 1;
    const mine = asked;
    for (const timeout of patienceMs) {
      const listed = await ignoreRejection(server.listRoots(undefined, { timeout }), "the host is asked again");
      // An answer that a later question has overtaken is out of date.
      if (mine !== asked || server.transport === undefined) return;
      if (listed === undefined) continue;
      gateway.setHostRoots(listed.roots.slice(0, most).map(({ uri, name }) => ({ uri, name })));
      return;
    }
  }

  const ask = (): void => void ignoreRejection(passRootsOn(), "the servers keep the directories that they were told");
  server.setNotificationHandler("notifications/roots/list_changed", ask);
  ask();
}
