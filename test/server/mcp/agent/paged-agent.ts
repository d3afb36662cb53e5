import type { CallToolResult } from "@modelcontextprotocol/server";
import { operator } from "../../../../src/core/caller.ts";
import type { Outcome } from "../../../../src/core/run/outcome.ts";
import type { Tool } from "../../../../src/core/tools/tool.ts";
import { isRecord, toText } from "../../../../src/kit/json.ts";
import type { RunHandle } from "../../../../src/runs/live/run-handle.ts";
import { waitForEnd } from "../../../../src/runs/live/wait-until.ts";
import { createRunRegistry, type RunRegistry } from "../../../../src/runs/run-registry.ts";
import { createRunPage } from "../../../../src/server/mcp/agent/run-page.ts";
import type { Capabilities } from "../../../../src/server/mcp/capabilities.ts";
import { type ScriptedTurn, scriptedModel } from "../../../fakes/model.ts";
import { runOptions, streamRun } from "../../../fakes/run.ts";

export interface PagedAgent {
  readonly runs: RunRegistry;
  /** `agent_ask` and `agent_cancel` as far as a page needs them, and the page. */
  readonly provider: Capabilities;
  begin(question: string): RunHandle;
  ended(run: RunHandle): Promise<Outcome>;
}

export interface Script {
  decide: ScriptedTurn[];
  answer: ScriptedTurn[];
  tools?: readonly Tool[];
  /** The run that a token stands for. */
  runIdOf?(confirmation: string): string | undefined;
}

/** Holds real runs of scripted models, as the MCP interface does. */
export function pagedAgent({ decide, answer, tools = [], runIdOf }: Script): PagedAgent {
  const models = { functionCall: scriptedModel(decide, "decider"), answer: scriptedModel(answer, "writer") };
  const runs = createRunRegistry({ most: 10, keepMs: 60_000 });
  const page = createRunPage({ runs, caller: operator, locale: "en", runIdOf });

  function begin(question: string): RunHandle {
    return runs.begin({
      key: question,
      caller: operator,
      locale: "en",
      request: { question },
      canAsk: () => true,
      patienceMs: 10_000,
      async *ask({ runId, signal, user }) {
        yield* streamRun(await runOptions({ models, tools: [...tools], question, id: runId, signal, user }));
      },
    });
  }

  async function ended(run: RunHandle): Promise<Outcome> {
    return (await waitForEnd(run, AbortSignal.timeout(10_000))) ?? run.snapshot();
  }

  async function call(name: string, args: unknown): Promise<CallToolResult | undefined> {
    const { question, run_id } = isRecord(args) ? args : {};
    if (name !== "agent_ask" && name !== "agent_cancel") return undefined;
    const run = name === "agent_ask" ? begin(toText(question)) : runs.find(toText(run_id), operator);
    if (run === undefined) return { content: [{ type: "text", text: "no such run" }], isError: true };
    if (name === "agent_cancel") run.cancel();
    const outcome = await ended(run);
    return { content: [{ type: "text", text: outcome.response }], structuredContent: { ...outcome } };
  }

  const provider: Capabilities = {
    ...page,
    tools: {
      list: page.tools.list,
      call: async (name, args, context) => (await page.tools.call(name, args, context)) ?? call(name, args),
    },
  };
  return { runs, provider, begin, ended };
}
