import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { createMcpInterface } from "../../src/server/mcp/mcp-interface.ts";
import { startHttpFace } from "../fakes/http-interface.ts";
import { scriptedModel } from "../fakes/model.ts";

/** The product over HTTP, with one run behind it, of which there are resources. */
export async function serveDuet(): Promise<{ url: string; close(): Promise<void> }> {
  const settings = { conversations: { store: "memory" } };
  const config = await loadConfig({}, {}, import.meta.dirname, { name: "test", settings });
  const model = scriptedModel(["It is."]);
  const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
  await Array.fromAsync(duet.ask({ question: "Is it?" }));
  const mcp = createMcpInterface(duet, { settings: config.serve, asks: config.tools.ask });
  const served = await startHttpFace({ createServer: mcp.createServer });
  return {
    url: served.url,
    async close() {
      await served.close();
      await duet.close();
    },
  };
}
