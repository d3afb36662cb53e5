import type { List } from "../../src/app/tools/gateway.ts";
import { startHttpFace } from "../fakes/http-interface.ts";
import { createFixtures } from "./fixture-server.ts";

/** Serves the fixtures by the product's HTTP side. */
export function serveFixtures(): Promise<{ url: string; close(): Promise<void> }> {
  const listeners = new Set<(list: List) => void>();
  const createServer = createFixtures({
    announce(list) {
      for (const listener of listeners) listener(list);
    },
  });
  return startHttpFace({
    createServer: async () => createServer(),
    onChange(_caller, listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}
