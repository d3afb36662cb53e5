// The agents that `agents.mjs` asks through Duet, each pointed at the scripted model by its own configuration.

/** Returns the rows. `address` is that of the scripted model; `{HOME}` in a file's path is the agent's home. */
export function listAgents(address) {
  return [
    {
      name: "opencode",
      npm: ["opencode-ai@1.18.33"],
      version: "opencode-ai",
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          ...{ autoupdate: false, share: "disabled", model: "local/scripted", small_model: "local/scripted" },
          permission: { edit: "ask", bash: "ask" },
          provider: {
            local: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${address}/v1`, apiKey: "none" },
              models: { scripted: { tool_call: true, limit: { context: 128_000, output: 4000 } } },
            },
          },
        }),
        ...{ OPENCODE_DISABLE_AUTOUPDATE: "true", OPENCODE_DISABLE_MODELS_FETCH: "true" },
      },
      shell: { name: "bash", args: (command) => ({ command, description: "Makes a file" }) },
    },
    {
      name: "goose",
      npm: ["@aaif/goose-binary-linux-x64"],
      version: "@aaif/goose-binary-linux-x64",
      command: "goose-binary-linux-x64",
      args: ["acp"],
      env: {
        ...{ GOOSE_PROVIDER: "openai", GOOSE_MODEL: "scripted", OPENAI_HOST: address, OPENAI_API_KEY: "none" },
        ...{ GOOSE_MODE: "approve", GOOSE_DISABLE_KEYRING: "1", GOOSE_TELEMETRY_ENABLED: "false" },
        GOOSE_DISABLE_SESSION_NAMING: "true",
      },
      shell: { name: "(?:developer__)?shell", args: (command) => ({ command }) },
    },
    {
      name: "gemini",
      npm: ["@google/gemini-cli@0.61.0"],
      version: "@google/gemini-cli",
      args: ["--acp", "--model", "gemini-2.5-flash"],
      env: {
        ...{ GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: address, GEMINI_TELEMETRY_ENABLED: "false" },
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
      files: { ".gemini/settings.json": { security: { auth: { selectedType: "gemini-api-key" } } } },
      // It destroys a session that it loads in the minute in which it began it (google-gemini/gemini-cli#28775).
      resumesAfterMs: 61_000,
      shell: { name: "run_shell_command", args: (command) => ({ command, description: "Makes a file" }) },
    },
    {
      name: "codex",
      npm: ["@agentclientprotocol/codex-acp@2.6.0"],
      version: "@agentclientprotocol/codex-acp",
      env: {
        LOCAL_KEY: "none",
        CODEX_CONFIG: JSON.stringify({
          model: "scripted",
          model_provider: "local",
          model_providers: {
            local: { name: "local", base_url: `${address}/v1`, env_key: "LOCAL_KEY", wire_api: "responses" },
          },
        }),
      },
      // Its model asks for what the sandbox forbids; the person is asked then.
      shell: {
        name: "exec_command",
        args: (cmd) => ({ cmd, sandbox_permissions: "require_escalated", justification: "May the file be made?" }),
      },
    },
    {
      name: "claude-code",
      npm: ["@agentclientprotocol/claude-agent-acp@0.101.0"],
      version: "@agentclientprotocol/claude-agent-acp",
      env: {
        ...{ ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
        DISABLE_AUTOUPDATER: "1",
      },
      shell: { name: "Bash", args: (command) => ({ command, description: "Makes a file" }) },
    },
    {
      name: "qwen",
      npm: ["@qwen-code/qwen-code@0.24.4"],
      version: "@qwen-code/qwen-code",
      env: { OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" },
      files: {
        ".qwen/settings.json": {
          ...{ security: { auth: { selectedType: "openai" } }, privacy: { usageStatisticsEnabled: false } },
          general: { enableAutoUpdate: false },
        },
      },
      shell: {
        name: "run_shell_command",
        args: (command) => ({ command, description: "Makes a file", is_background: false }),
      },
    },
  ];
}
