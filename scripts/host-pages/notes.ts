// What the pages of docs/hosts say of a host beside what follows from the tables of the program.
import type { HostName } from "../../src/cli/install/hosts.ts";
import type { Text } from "../../src/kit/locale.ts";

export const hostNotes: Readonly<Partial<Record<HostName, readonly Text[]>>> = {
  "claude-desktop": [
    {
      zh: "Windows 上打包安装的 Claude 使用自己的文件夹 `%LOCALAPPDATA%\\Packages\\Claude_…\\LocalCache\\Roaming\\Claude`，Duet 会找到它。",
      en: "On Windows a packaged Claude has its own folder, `%LOCALAPPDATA%\\Packages\\Claude_…\\LocalCache\\Roaming\\Claude`; Duet finds it.",
    },
    {
      zh: "不用命令行也可以：打开[扩展包](../install/bundle.zh.md)即可安装。",
      en: "Without a command line: open the [bundle](../install/bundle.md).",
    },
  ],
  "claude-code": [
    {
      zh: "条目里不写 `timeout`：那是硬性上限，进度也不能延长；不写时一次调用可以持续数小时。",
      en: "The entry has no `timeout`: it would be a hard limit that progress does not extend, and without it a call may take hours.",
    },
    {
      zh: "反过来，Claude Code 也可以用 Duet 的模型（`/v1/messages`，见 [Anthropic 兼容 API](../anthropic-api.zh.md)），或担任 Duet 的[智能体](../other-agents.zh.md)。",
      en: "The other way round, Claude Code can use Duet's models (`/v1/messages`, see [Anthropic-compatible API](../anthropic-api.md)), or be an [agent of Duet](../other-agents.md).",
    },
  ],
  codex: [
    {
      zh: "它只传递 `env_vars` 列出的环境变量；Duet 会加入配置用到的那些。",
      en: "It hands on only the variables that `env_vars` names; Duet adds those that your configuration uses.",
    },
    {
      zh: "没有 `supports_parallel_tool_calls` 时，它一次只做一个调用。",
      en: "Without `supports_parallel_tool_calls` it makes its calls one by one.",
    },
    {
      zh: "用过 `codex mcp-server`？见[把问题直接交给其他智能体](../direct-agents.zh.md)。",
      en: "You used `codex mcp-server`? See [a question straight to another agent](../direct-agents.md).",
    },
  ],
  cursor: [
    {
      zh: "文档写明支持 elicitation：需要同意的调用会以对话框询问。",
      en: "Its documents name elicitation: calls that need consent are asked about in a dialog.",
    },
  ],
  "gemini-cli": [
    {
      zh: "它只在受信任的文件夹里启动服务器，也不传递名字像密钥的变量：用 `--with-env`，或写进配置文件旁的 `.env`。",
      en: "It starts servers only in folders that you trust, and hands on no variables that look like keys: use `--with-env`, or the `.env` beside the configuration.",
    },
    {
      zh: "它结束时断开连接，可能因此报告 `Connection closed`；答案不受影响。",
      en: "It disconnects at its end and may then report `Connection closed`; the answer is not touched by it.",
    },
  ],
  "qwen-code": [
    {
      zh: "它不把工具直接列给模型：模型先用 `tool_search` 找到 `agent_ask`，再用 `tool_call` 调用。",
      en: "It does not list the tools to its model, which finds `agent_ask` by `tool_search` and calls it by `tool_call`.",
    },
  ],
  "copilot-cli": [
    {
      zh: '没有 `tools` 时它不提供任何工具，所以写入 `["*"]`。',
      en: 'Without `tools` it offers none, so `["*"]` is written.',
    },
  ],
  opencode: [
    {
      zh: "配置文件是 `opencode.json` 还是 `opencode.jsonc`，以已有的为准。",
      en: "Of `opencode.json` and `opencode.jsonc`, the one that is there is changed.",
    },
  ],
  zed: [
    {
      zh: "`duet install zed --agent` 写入的是[智能体](../editors.zh.md)，而不是 MCP 服务器。",
      en: "`duet install zed --agent` enters the [agent](../editors.md), not the MCP server.",
    },
  ],
  kiro: [
    {
      zh: "编辑器的文档没有时限；它的命令行默认 120 秒，Duet 按 60 秒计算。",
      en: "The editor's documents have no time limit; its CLI's has 120 seconds. Duet assumes 60.",
    },
  ],
  goose: [
    {
      zh: "npm 上的二进制包是 `@aaif/goose-binary-linux-x64`，下面用的就是它。",
      en: "The binary is in the npm registry as `@aaif/goose-binary-linux-x64`, which is what ran below.",
    },
  ],
};
