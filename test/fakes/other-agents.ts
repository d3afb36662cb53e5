// Other agents as tools: a pool of fake ones, and a Duet that has one.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type AgentAnswer,
  type AgentPool,
  type AgentQuestion,
  createAgentPool,
  type OtherAgent,
} from "../../src/client/acp/agent-pool.ts";
import type { AcpSettings } from "../../src/config/config.ts";
import type { ApprovalRequest, Approve } from "../../src/core/tools/tool.ts";
import { createAgentFileAccess } from "../../src/tools/files/agent-file-access.ts";
import { createFileGuard } from "../../src/tools/files/file-guard.ts";
import { compileCache } from "./program.ts";

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
  ask(
    text: string,
    more?: Partial<AgentQuestion> & { signal?: AbortSignal },
  ): Promise<AgentAnswer & { sessionId: string | undefined }>;
}

interface SceneOptions {
  args?: string[];
  settings?: Partial<AcpSettings>;
  /** What a person says to questions; nobody can be asked when it is absent. */
  approve?: Approve;
  environment?: Record<string, string>;
  /** Says when its processes end and its folder goes: with the test when absent. */
  atEnd?: (close: () => Promise<void>) => void;
}

export interface AgentPlace {
  pool: AgentPool;
  folder: string;
  journal: string;
  args: string[];
}

/** A place for one fake agent, in a folder of its own. There, `own.json` and `own/` are Duet's. */
export async function openPlace({ args = [], environment, atEnd = onTestFinished }: SceneOptions): Promise<AgentPlace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "duet-agent-")));
  const folder = await mkdtemp(join(root, "work-"));
  const guard = createFileGuard({ files: [join(folder, "own.json")], folders: [join(folder, "own")] });
  const pool = createAgentPool({
    environment: { ...process.env, ...environment },
    openFiles: async (roots) => createAgentFileAccess({ roots, guard }),
  });
  atEnd(async () => {
    await pool.close();
    await rm(root, { recursive: true, force: true });
  });
  return { pool, folder, journal: join(root, "journal"), args };
}

/** One fake agent, in a place of its own. */
export async function openAgent(options: SceneOptions = {}): Promise<AgentScene> {
  return useAgent(await openPlace(options), options);
}

/** The fake agent of a place, with the settings and the person of one test. */
export function useAgent(
  { pool, folder, journal, args }: AgentPlace,
  { settings, approve }: Pick<SceneOptions, "settings" | "approve"> = {},
): AgentScene {
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
    async ask(text, { signal = new AbortController().signal, ...more } = {}) {
      let opened: string | undefined;
      const answer = await pool.ask(agent, {
        text,
        onSession(id) {
          opened = id;
        },
        sessionId: undefined,
        budget: { tokens: 1_000_000, cost: undefined },
        depth: 1,
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
          notice: (_, { en }) => void heard.notices.push(en),
        },
        ...more,
      });
      return { ...answer, sessionId: opened };
    },
  };
}
