import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import type { Duet } from "../../../../src/app/duet.ts";
import type { Caller } from "../../../../src/core/caller.ts";
import type { SharedStore } from "../../../../src/core/store/store.ts";
import type { LiveRun, LiveRuns } from "../../../../src/runs/live/live-run.ts";
import type { Capabilities } from "../../../../src/server/mcp/capabilities.ts";
import { serveCapabilities } from "../../../../src/server/mcp/mcp-interface.ts";

/** An official client of a connection that offers this; it checks all that it is given. */
export async function connect(provider: Capabilities, onResourcesChanged?: () => void): Promise<Client> {
  const server = new McpServer({ name: "test", version: "1" });
  serveCapabilities(server, [provider]);
  const listChanged = onResourcesChanged && {
    resources: { onChanged: onResourcesChanged, autoRefresh: false, debounceMs: 0 },
  };
  const client = new Client({ name: "test", version: "1" }, { ...(listChanged && { listChanged }) });
  const [above, below] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(below), client.connect(above)]);
  onTestFinished(async () => void (await Promise.all([client.close(), server.close()])));
  return client;
}

/** The store as a Duet gives it to each caller. */
export function storeOf(store: SharedStore): Pick<Duet, "store" | "trace"> {
  return {
    store: async (caller) => store.of(caller?.owner),
    trace: (runId, caller) => store.of(caller?.owner).trace(runId),
  };
}

/** Runs that the test begins and ends. */
export interface TestRuns extends LiveRuns {
  add(run: LiveRun): void;
  tell(caller: Caller): void;
}

export function testRuns(): TestRuns {
  const runs: LiveRun[] = [];
  const listeners = new Set<{ owner: string | undefined; listener(): void }>();
  const ofCaller = ({ owner }: Caller): LiveRun[] => runs.filter(({ caller }) => caller.owner === owner);
  return {
    listRuns: (caller) => ofCaller(caller).reverse(),
    add: (run) => void runs.push(run),
    tell({ owner }) {
      for (const each of listeners) if (each.owner === owner) each.listener();
    },
    find: (id, caller) => ofCaller(caller).find((run) => run.id === id),
    findLatest: (question, caller) => ofCaller(caller).findLast((run) => run.question === question),
    onChange({ owner }, listener) {
      const entry = { owner, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
