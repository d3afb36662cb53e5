import { onTestFinished } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { waitAbortable } from "../../src/kit/async/timeout.ts";
import { createMcpInterface, type McpInterface } from "../../src/server/mcp/mcp-interface.ts";
import { createSuccess, createTool } from "../../src/tools/create-tool.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../fakes/model.ts";

export interface OpenedFace {
  mcp: McpInterface;
  duet: Duet;
  model: ScriptedModel;
  /** What the dangerous tool was called with. */
  wiped: unknown[];
}

export interface FaceSettings {
  turns: ScriptedTurn[];
  serve?: Partial<Config["serve"]>;
  config?: Record<string, unknown>;
  /** The model says nothing before this resolves. */
  gate?: Promise<void>;
  /** Returns what the next turn of the model waits for. */
  holds?(model: ScriptedModel): Promise<void> | undefined;
}

/** Creates the MCP interface of an agent with one scripted model, and a tool that needs consent: `wipe_disk`. */
export async function openFace({
  turns,
  serve = {},
  config: more = {},
  gate,
  holds,
}: FaceSettings): Promise<OpenedFace> {
  const model = scriptedModel(turns);
  const wiped: unknown[] = [];
  const settings = { conversations: { store: "memory" }, locale: "en", serve, ...more };
  const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings });
  const wipe = createTool({
    name: "wipe_disk",
    description: "Wipes a disk.",
    source: "user",
    inputSchema: { type: "object", properties: { disk: { type: "string" } }, required: ["disk"] },
    annotations: { destructive: true },
    async run(args) {
      wiped.push(args);
      return createSuccess("wiped");
    },
  });
  const gated: ScriptedModel = {
    ...model,
    async stream(request, onEvent, signal) {
      await waitAbortable(holds?.(model) ?? gate ?? Promise.resolve(), signal);
      return model.stream(request, onEvent, signal);
    },
  };
  const models = { functionCall: gated, answer: gated };
  const duet = await openDuet(config, { models, tools: [wipe] });
  onTestFinished(() => duet.close());
  const mcp = createMcpInterface(duet, { settings: config.serve, asks: config.tools.ask });
  return { mcp, duet, model, wiped };
}
