// What the suite's server side calls: tools, prompts and resources of its names, none of which the product has.
import { createRequestStateCodec, McpServer } from "@modelcontextprotocol/server";
import { addPrompts } from "./fixture-prompts.ts";
import { addQuestions } from "./fixture-questions.ts";
import { addResources } from "./fixture-resources.ts";
import { addTools } from "./fixture-tools.ts";

export interface FixtureOptions {
  /** Tells those that listen that a list has changed. */
  announce(list: "tools" | "prompts"): void;
}

/** Makes a server for each connection, session or request; all of them take the state that any of them gave out. */
export function createFixtures({ announce }: FixtureOptions): () => McpServer {
  const states = createRequestStateCodec<unknown>({ key: crypto.getRandomValues(new Uint8Array(32)) });
  return () => {
    const server = new McpServer(
      { name: "conformance-fixtures", version: "1.0.0" },
      {
        capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
        cacheHints: { "tools/list": { ttlMs: 1000, cacheScope: "private" } },
        requestState: { verify: states.verify },
      },
    );
    addTools(server, announce);
    addQuestions(server, states);
    addResources(server);
    addPrompts(server);
    return server;
  };
}
