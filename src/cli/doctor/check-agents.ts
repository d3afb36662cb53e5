import { stat } from "node:fs/promises";
import { type AgentProgram, listAgentPrograms } from "../../app/sub-agents/list-agent-programs.ts";
import { describeInstall, describeNoFolder } from "../../app/sub-agents/other-agents.ts";
import type { AcpSettings, Config } from "../../config/config.ts";
import type { Text } from "../../kit/locale.ts";
import { hasProcessGroups } from "../../kit/process/process-tree.ts";
import type { Finding } from "./findings.ts";

/** Reports the programs of the agents that are configured, and which of those known by name are installed besides. None is started. */
export async function checkAgents(config: Config): Promise<Finding[]> {
  const programs = await listAgentPrograms(config);
  const settings = new Map(config.agents.map(({ name, acp }) => [name, acp]));
  const configured = programs.filter(({ isConfigured }) => isConfigured);
  const findings = await Promise.all(configured.map((program) => checkAgent(program, settings.get(program.name))));
  return [...findings, ...listOthers(programs.filter(({ isConfigured }) => !isConfigured))];
}

async function checkAgent(program: AgentProgram, acp: AcpSettings | undefined): Promise<Finding> {
  const { name } = program;
  const finding = toFinding(program);
  if (finding.state !== "ok" || acp === undefined) return finding;
  if (acp.lacksFolder) return { ...finding, state: "failed", text: describeNoFolder(name, acp.cwd) };
  const isFolder = await stat(acp.cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? finding : { ...finding, state: "failed", text: describeMissingFolder(name, acp.cwd) };
}

function toFinding({ name, command, file, install }: AgentProgram): Finding {
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
    ...(install !== undefined && { hint: describeInstall(install) }),
  };
}

function describeMissingFolder(name: string, folder: string): Text {
  const shown = JSON.stringify(folder);
  return {
    zh: `工作目录 ${shown} 不存在（agents.${name}.acp.cwd）。`,
    en: `there is no folder ${shown} to work in (agents.${name}.acp.cwd).`,
  };
}

function listOthers(others: readonly AgentProgram[]): Finding[] {
  if (others.length === 0) return [];
  const there = others.filter(({ file }) => file !== undefined).map(({ name }) => name);
  const missing = others.filter(({ file }) => file === undefined).map(({ name }) => name);
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
