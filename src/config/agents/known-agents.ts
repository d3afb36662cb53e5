import type { Text } from "../../kit/locale.ts";

/**
 * Describes an agent that speaks the Agent Client Protocol over its standard input and output. A configuration that names one needs
 * no command. `duet doctor`, the texts for a missing program and the table in docs/ derive from the rows.
 */
export interface KnownAgent {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Is how a person installs it. */
  readonly install: string;
  /**
   * Is a mode in which it asks a person, and the modes in which it asks nobody, or a model, and in which it begins. Its sessions are
   * taken out of those unless the configuration names a mode.
   */
  readonly asking?: { readonly mode: string; readonly insteadOf: readonly string[] };
  /** Says when to ask it, where the configuration does not. */
  readonly description: Text;
  /** Says in docs/ what it does without asking anybody, as it comes. */
  readonly byItself: Text;
  /** Says in docs/ what restricts it: its own modes (`acp.mode`), arguments and variables. */
  readonly sandbox: Text;
  /** Says in docs/ how it is pointed at the address of a model. */
  readonly address: Text;
  /** Says how a person signs in. */
  readonly signIn: Text;
}

const describeCoding = (title: string): Text => ({
  zh: `编程智能体 ${title}：在工作目录中阅读、修改和运行代码，完成较大的编程任务`,
  en: `The coding agent ${title}: reads, changes and runs code in the working folder; for larger programming tasks`,
});

export const knownAgents = {
  codex: {
    title: "Codex",
    command: "codex-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    asking: { mode: "workspace-write", insteadOf: ["agent", "agent-full-access"] },
    description: describeCoding("Codex"),
    byItself: {
      zh: "读取文件；在工作目录和临时目录中写入并运行命令，不能联网。它原本的模式 `agent` 让一个模型代替人同意，Duet 改用 `workspace-write`",
      en: "reads files; writes and runs commands in the working folder and temporary folders, without network. Its own mode `agent` has a model agree in place of a person; Duet sets `workspace-write`",
    },
    sandbox: {
      zh: "`mode`：`read-only`（其余都要询问）、`workspace-write`、`agent`、`agent-full-access`（没有沙箱，从不询问）",
      en: "`mode`: `read-only` (asks for everything else), `workspace-write`, `agent`, `agent-full-access` (no sandbox, never asks)",
    },
    address: {
      zh: "`~/.codex/config.toml` 或 `CODEX_CONFIG`（JSON）中的 `model_provider` 和 `model_providers.NAME.base_url`（Responses API）",
      en: "`model_provider` and `model_providers.NAME.base_url` (Responses API) in `~/.codex/config.toml` or in `CODEX_CONFIG` (JSON)",
    },
    signIn: { zh: "运行 codex login，或设置 OPENAI_API_KEY", en: "run codex login, or set OPENAI_API_KEY" },
  },
  "claude-code": {
    title: "Claude Code",
    command: "claude-agent-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    asking: { mode: "default", insteadOf: ["auto", "bypassPermissions"] },
    description: describeCoding("Claude Code"),
    byItself: {
      zh: "读取文件；写入和命令按 `~/.claude/settings.json` 的权限询问。原本的模式 `auto` 由模型决定，Duet 改用 `default`",
      en: "reads files; asks before writes and commands, by the permissions of `~/.claude/settings.json`. In `auto`, where it begins, a model decides; Duet sets `default`",
    },
    sandbox: {
      zh: "`mode`：`plan`（只读）、`default`、`acceptEdits`、`auto`、`bypassPermissions`（从不询问）",
      en: "`mode`: `plan` (reads only), `default`, `acceptEdits`, `auto`, `bypassPermissions` (never asks)",
    },
    address: { zh: "`ANTHROPIC_BASE_URL`", en: "`ANTHROPIC_BASE_URL`" },
    signIn: { zh: "运行 claude /login，或设置 ANTHROPIC_API_KEY", en: "run claude /login, or set ANTHROPIC_API_KEY" },
  },
  gemini: {
    title: "Gemini CLI",
    command: "gemini",
    args: ["--acp"],
    install: "npm install -g @google/gemini-cli",
    asking: { mode: "default", insteadOf: ["yolo"] },
    description: describeCoding("Gemini CLI"),
    byItself: {
      zh: "读取工作目录中的文件；写入和命令都询问",
      en: "reads files of the working folder; asks before writes and commands",
    },
    sandbox: {
      zh: "`mode`：`plan`、`default`、`autoEdit`、`yolo`（从不询问）；参数 `--sandbox`",
      en: "`mode`: `plan`, `default`, `autoEdit`, `yolo` (never asks); the argument `--sandbox`",
    },
    address: { zh: "`GOOGLE_GEMINI_BASE_URL`", en: "`GOOGLE_GEMINI_BASE_URL`" },
    signIn: { zh: "运行 gemini 登录，或设置 GEMINI_API_KEY", en: "run gemini and sign in, or set GEMINI_API_KEY" },
  },
  opencode: {
    title: "opencode",
    command: "opencode",
    args: ["acp"],
    install: "npm install -g opencode-ai",
    description: describeCoding("opencode"),
    byItself: {
      zh: "在工作目录中读取、写入和运行命令，除非 `opencode.json` 的 `permission` 另有规定",
      en: "reads, writes and runs commands in the working folder, unless `permission` in `opencode.json` says otherwise",
    },
    sandbox: {
      zh: '`mode`：`plan`（只读）、`build`；`OPENCODE_CONFIG_CONTENT` 中的 `"permission": {"edit": "ask", "bash": "ask"}`',
      en: '`mode`: `plan` (reads only), `build`; `"permission": {"edit": "ask", "bash": "ask"}` in `OPENCODE_CONFIG_CONTENT`',
    },
    address: {
      zh: "`opencode.json` 或 `OPENCODE_CONFIG_CONTENT` 中的 `provider.NAME.options.baseURL`",
      en: "`provider.NAME.options.baseURL` in `opencode.json` or in `OPENCODE_CONFIG_CONTENT`",
    },
    signIn: { zh: "运行 opencode auth login", en: "run opencode auth login" },
  },
  goose: {
    title: "goose",
    command: "goose",
    args: ["acp"],
    install: "brew install block-goose-cli",
    asking: { mode: "smart_approve", insteadOf: ["auto"] },
    description: describeCoding("goose"),
    byItself: {
      zh: "读取；写入和命令都询问。原本的 `auto` 从不询问，Duet 改用 `smart_approve`",
      en: "reads; asks before writes and commands. In `auto`, where it begins, it never asks; Duet sets `smart_approve`",
    },
    sandbox: {
      zh: "`mode` 或 `GOOSE_MODE`：`chat`（没有工具）、`approve`（每次询问）、`smart_approve`、`auto`",
      en: "`mode` or `GOOSE_MODE`: `chat` (no tools), `approve` (asks each time), `smart_approve`, `auto`",
    },
    address: {
      zh: "`GOOSE_PROVIDER`、`GOOSE_MODEL` 和服务商的变量，如 `OPENAI_HOST`",
      en: "`GOOSE_PROVIDER`, `GOOSE_MODEL` and the variables of the provider, such as `OPENAI_HOST`",
    },
    signIn: { zh: "运行 goose configure", en: "run goose configure" },
  },
  qwen: {
    title: "Qwen Code",
    command: "qwen",
    args: ["--acp"],
    install: "npm install -g @qwen-code/qwen-code",
    asking: { mode: "default", insteadOf: ["auto", "yolo"] },
    description: describeCoding("Qwen Code"),
    byItself: {
      zh: "读取工作目录中的文件；写入和命令都询问。原本的模式 `auto` 由模型决定，Duet 改用 `default`",
      en: "reads files of the working folder; asks before writes and commands. In `auto`, where it begins, a model decides; Duet sets `default`",
    },
    sandbox: {
      zh: "`mode`：`plan`、`default`、`auto-edit`、`auto`、`yolo`（从不询问）；参数 `--sandbox`",
      en: "`mode`: `plan`, `default`, `auto-edit`, `auto`, `yolo` (never asks); the argument `--sandbox`",
    },
    address: { zh: "`OPENAI_BASE_URL`", en: "`OPENAI_BASE_URL`" },
    signIn: { zh: "运行 qwen 登录，或设置 OPENAI_API_KEY", en: "run qwen and sign in, or set OPENAI_API_KEY" },
  },
} as const satisfies Record<string, KnownAgent>;

/** Returns the row of an agent that the program knows by this name. */
export function findKnownAgent(name: string): KnownAgent | undefined {
  const rows: Readonly<Record<string, KnownAgent>> = knownAgents;
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}
