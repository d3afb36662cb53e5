// Duets with callers: opened in process, with scripted models, tools that count their calls, and what a test asks of them.
import { onTestFinished } from "vitest";
import type { AskRequest, DuetOverrides } from "../../src/app/ask/ask-request.ts";
import type { Duet } from "../../src/app/duet.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Caller } from "../../src/core/caller.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Tool } from "../../src/core/tools/tool.ts";
import { configFile, temporaryFolder } from "./program.ts";

export const anna: Caller = { owner: "anna" };
export const ben: Caller = { owner: "ben" };

/** Closed when the test ends. A `given` home is that of an earlier one. */
export async function duetWith(
  parts: DuetOverrides,
  settings: Record<string, unknown> = {},
  given?: string,
): Promise<Duet> {
  const home = given ?? (await temporaryFolder());
  const file = await configFile({ locale: "en", search: { enabled: false }, ...settings });
  const duet = await openDuet(await loadConfig({ config: file }, { HOME: home, DUET_HOME: home }), parts);
  onTestFinished(() => duet.close());
  return duet;
}

/** A tool that takes a text and says how it was called. */
export function countedTool(name: string, more: Partial<Tool> = {}): Tool & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    source: "own",
    annotations: {},
    calls,
    async run({ text }) {
      calls.push(String(text ?? ""));
      return { ok: true, text: `${name} was given ${text}, as it should be` };
    },
    ...more,
  };
}

export async function askAs(duet: Duet, caller: Caller, question: string, more: Partial<AskRequest> = {}) {
  const events: AgentEvent[] = await Array.fromAsync(duet.ask({ question, caller, ...more }));
  const end = events.at(-1);
  if (end?.type !== "run-end") throw new Error("no run-end");
  return { events, outcome: end.outcome };
}
