// The hosts with a command line that `transcripts.mjs` records, each pointed at the scripted model by its own configuration.

/** Returns the rows. `address` is that of the scripted model; what a page shows of a command leaves out what points it there. */
export function listHostCommands(address, question) {
  const openAi = { OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: "scripted" };
  return {
    "claude-code": {
      title: "Claude Code",
      files: { ".claude.json": "{}" },
      package: "@anthropic-ai/claude-code",
      ...{ bin: "claude", shownAs: "claude", list: ["mcp", "list"] },
      ask: ["--print", question, "--allowedTools", "mcp__duet"],
      shown: ["--print", question, "--allowedTools", "mcp__duet"],
      env: {
        ...{
          ANTHROPIC_BASE_URL: address,
          ANTHROPIC_API_KEY: "scripted",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        },
        ...{ ENABLE_TOOL_SEARCH: "false", MCP_CONNECTION_NONBLOCKING: "false", DISABLE_AUTOUPDATER: "1" },
      },
    },
    codex: {
      title: "Codex",
      files: { ".codex/config.toml": "" },
      package: "@openai/codex",
      ...{ bin: "codex", shownAs: "codex", list: ["mcp", "list"] },
      ask: [
        ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--config"],
        `model_providers.outer={ name = "outer", base_url = "${address}/v1", env_key = "OPENAI_API_KEY", wire_api = "responses" }`,
        ...["--config", 'model_provider="outer"', "--config", "mcp_servers.duet.required=true", "--model", "scripted"],
        question,
      ],
      shown: ["exec", "--dangerously-bypass-approvals-and-sandbox", question],
      env: openAi,
    },
    "gemini-cli": {
      title: "Gemini CLI",
      files: { ".gemini/settings.json": '{ "security": { "auth": { "useExternal": true } } }' },
      package: "@google/gemini-cli",
      ...{ bin: "gemini", shownAs: "gemini", list: ["mcp", "list"] },
      ask: ["--yolo", "--model", "gemini-2.5-flash", "--prompt", question],
      shown: ["--yolo", "--prompt", question],
      env: {
        ...{ GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: address, GEMINI_TELEMETRY_ENABLED: "false" },
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    },
    "qwen-code": {
      title: "Qwen Code",
      files: { ".qwen/settings.json": '{ "privacy": { "usageStatisticsEnabled": false } }' },
      package: "@qwen-code/qwen-code",
      ...{ bin: "qwen", shownAs: "qwen", list: ["mcp", "list"] },
      ask: ["--yolo", "--auth-type", "openai", "--model", "scripted", "--prompt", question],
      shown: ["--yolo", "--prompt", question],
      env: { ...openAi, OPENAI_MODEL: "scripted" },
    },
    opencode: {
      title: "opencode",
      files: { ".config/opencode/opencode.json": "{}" },
      package: "opencode-ai",
      ...{ bin: "opencode", shownAs: "opencode", list: ["mcp", "list"] },
      ask: ["run", "--model", "outer/scripted", question],
      shown: ["run", question],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          provider: {
            outer: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${address}/v1`, apiKey: "scripted" },
              models: { scripted: { tool_call: true } },
            },
          },
        }),
        ...{ OPENCODE_DISABLE_AUTOUPDATE: "true", OPENCODE_DISABLE_MODELS_FETCH: "true" },
      },
    },
    goose: {
      title: "goose",
      files: { ".config/goose/config.yaml": "" },
      package: "@aaif/goose-binary-linux-x64",
      ...{ bin: "goose-binary-linux-x64", shownAs: "goose" },
      ask: ["run", "--no-session", "--text", question],
      shown: ["run", "--text", question],
      env: {
        ...{ GOOSE_PROVIDER: "openai", GOOSE_MODEL: "scripted", OPENAI_HOST: address, OPENAI_API_KEY: "scripted" },
        ...{ GOOSE_MODE: "auto", GOOSE_DISABLE_KEYRING: "1", GOOSE_TELEMETRY_ENABLED: "false" },
        GOOSE_DISABLE_SESSION_NAMING: "true",
      },
    },
    "copilot-cli": {
      title: "Copilot CLI",
      files: { ".copilot/mcp-config.json": '{ "mcpServers": {} }' },
      package: "@github/copilot",
      ...{ bin: "copilot", shownAs: "copilot", list: ["mcp", "get", "duet"] },
      ask: ["--allow-all-tools", "--prompt", question],
      shown: ["--allow-all-tools", "--prompt", question],
      env: {
        ...{ COPILOT_PROVIDER_BASE_URL: `${address}/v1`, COPILOT_PROVIDER_TYPE: "openai", COPILOT_MODEL: "scripted" },
        ...{ COPILOT_PROVIDER_API_KEY: "scripted", COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
      },
    },
  };
}
