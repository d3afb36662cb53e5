import { stat } from "node:fs/promises";
import { describeInstall, describeNoFolder } from "../../app/sub-agents/other-agents.ts";
import { findKnownAgent, type KnownAgent, knownAgents } from "../../config/agents/known-agents.ts";
import type { AcpSettings, Config } from "../../config/config.ts";
import type { Text } from "../../kit/locale.ts";
import { createChildEnvironment, type Environment } from "../../kit/process/child-environment.ts";
import { findCommand } from "../../kit/process/find-command.ts";
import { hasProcessGroups } from "../../kit/process/process-tree.ts";
import type { Finding } from "./findings.ts";

/** Reports the programs of the agents that are configured, and which of those known by name are installed besides. None is started. */
export async function checkAgents({ agents, environment, directory }: Config): Promise<Finding[]> {
  const configured = await Promise.all(
    agents.flatMap(({ name, acp }) => {
      if (acp === undefined) return [];
      const { command } = acp.transport;
      const known = findKnownAgent(name);
      const row = known?.command === command ? known : undefined;
      return checkAgent({ name, acp, row }, environment);
    }),
  );
  const names = new Set(agents.flatMap(({ name, acp }) => (acp ? [name] : [])));
  const others = Object.entries<KnownAgent>(knownAgents).filter(([name]) => !names.has(name));
  const env = createChildEnvironment(environment);
  const found = await Promise.all(others.map(([, { command }]) => findCommand(command, env, directory)));
  return [...configured, ...listOthers(others.map(([name], index) => ({ name, isThere: found[index] !== undefined })))];
}

interface ConfiguredAgent {
  name: string;
  acp: AcpSettings;
  /** Is the row of an agent whose program is the one that the table names. */
  row: KnownAgent | undefined;
}

async function checkAgent({ name, acp, row }: ConfiguredAgent, environment: Environment): Promise<Finding> {
  const { command } = acp.transport;
  const env = createChildEnvironment(environment, acp.transport);
  const file = await findCommand(command, env, acp.cwd);
  const finding = toFinding(name, command, file, row);
  if (finding.state !== "ok") return finding;
  if (acp.lacksFolder) return { ...finding, state: "failed", text: describeNoFolder(name, acp.cwd) };
  const isFolder = await stat(acp.cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? finding : { ...finding, state: "failed", text: describeMissingFolder(name, acp.cwd) };
}

function toFinding(name: string, command: string, file: string | undefined, known: KnownAgent | undefined): Finding {
  const finding = { topic: "agent", what: agentWord, name, details: { command, file: file ?? null } } as const;
  // A ✓ would promise what is then refused.
  if (!hasProcessGroups())
    return {
      ...finding,
      state: "failed",
      text: {
        zh: "在 Windows 上还不能使用其他智能体（可以在 WSL 中使用）。",
        en: "other agents cannot be used on Windows yet (they can be in WSL).",
      },
    };
  if (file !== undefined) return { ...finding, state: "ok", text: { zh: file, en: file } };
  const shown = JSON.stringify(command);
  return {
    ...finding,
    state: "failed",
    text: { zh: `找不到命令 ${shown}。`, en: `there is no command ${shown}.` },
    ...(known && { hint: describeInstall(known.install) }),
  };
}

function describeMissingFolder(name: string, folder: string): Text {
  const shown = JSON.stringify(folder);
  return {
    zh: `工作目录 ${shown} 不存在（agents.${name}.acp.cwd）。`,
    en: `there is no folder ${shown} to work in (agents.${name}.acp.cwd).`,
  };
}

function listOthers(others: readonly { name: string; isThere: boolean }[]): Finding[] {
  if (others.length === 0) return [];
  const there = others.filter(({ isThere }) => isThere).map(({ name }) => name);
  const missing = others.filter(({ isThere }) => !isThere).map(({ name }) => name);
  const join = (set: string, unset: string): string =>
    [there.length > 0 && `${set} ${there.join(", ")}`, missing.length > 0 && `${unset} ${missing.join(", ")}`]
      .filter(Boolean)
      .join(" · ");
  return [
    {
      topic: "agent",
      state: "none",
      what: { zh: "其他智能体（未配置）", en: "other agents, not configured" },
      name: "",
      text: { zh: join("已安装", "未安装"), en: join("installed", "not installed") },
      details: { installed: there, missing },
    },
  ];
}

const agentWord: Text = { zh: "智能体", en: "agent" };
