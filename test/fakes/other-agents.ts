// Other agents as tools: a pool of fake ones, and a Duet that has one.
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type AgentAnswer,
  type AgentQuestion,
  createAgentPool,
  type OtherAgent,
} from "../../src/client/acp/agent-pool.ts";
import type { AcpSettings } from "../../src/config/config.ts";
import type { ApprovalRequest, Approve } from "../../src/core/tools/tool.ts";
import { createAgentFileAccess } from "../../src/tools/files/agent-file-access.ts";
import { compileCache, temporaryFolder } from "./program.ts";

export const agentPath = join(import.meta.dirname, "acp-agent.ts");

export interface HeardOfAgent {
  steps: string[];
  progress: string[];
  notices: string[];
  asked: ApprovalRequest[];
}

export interface AgentScene {
  folder: string;
  journal: string;
  agent: OtherAgent;
  heard: HeardOfAgent;
  ask(text: string, more?: Partial<AgentQuestion> & { signal?: AbortSignal }): Promise<AgentAnswer>;
}

interface SceneOptions {
  args?: string[];
  settings?: Partial<AcpSettings>;
  /** What a person says to questions; nobody can be asked when it is absent. */
  approve?: Approve;
  environment?: Record<string, string>;
}

/** One fake agent in a folder of its own. Its processes end with the test. */
export async function openAgent({ args = [], settings, approve, environment }: SceneOptions = {}): Promise<AgentScene> {
  const folder = await temporaryFolder();
  const journal = join(await temporaryFolder(), "journal");
  const pool = createAgentPool({
    environment: { ...process.env, ...environment },
    openFiles: async (roots) => createAgentFileAccess({ roots }),
  });
  onTestFinished(() => pool.close());
  const heard: HeardOfAgent = { steps: [], progress: [], notices: [], asked: [] };
  const transport: AcpSettings["transport"] = {
    type: "stdio",
    command: process.execPath,
    args: [agentPath, "--journal", journal, ...args],
    env: compileCache(),
    inheritEnv: [],
    cwd: folder,
  };
  const agent: OtherAgent = {
    name: "fake",
    settings: {
      ...{ transport, cwd: folder, roots: [folder], mode: undefined, permissions: "ask", terminal: false },
      ...{ startTimeoutMs: 60_000, maxConcurrent: 4 },
      ...settings,
    },
  };
  return {
    ...{ folder, journal, agent, heard },
    ask: (text, { signal = new AbortController().signal, ...more } = {}) =>
      pool.ask(agent, {
        text,
        sessionId: undefined,
        budget: { tokens: 1_000_000, cost: undefined },
        context: {
          signal,
          locale: "en",
          approve:
            approve &&
            ((request) => {
              heard.asked.push(request);
              return approve(request);
            }),
          progress: (message) => void heard.progress.push(message),
          reportStep: (line) => void heard.steps.push(line),
          notice: (_, message) => void heard.notices.push(message),
        },
        ...more,
      }),
  };
}
