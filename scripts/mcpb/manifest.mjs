// Describes the bundle for a host (https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md, version 0.3).

/** The keys that people have most often: variable, name, what for. */
const keys = [
  ["DEEPSEEK_API_KEY", "DeepSeek API key", "Models of DeepSeek / DeepSeek 的模型"],
  ["OPENAI_API_KEY", "OpenAI API key", "Models of OpenAI / OpenAI 的模型"],
  ["ANTHROPIC_API_KEY", "Anthropic API key", "Models of Anthropic / Anthropic 的模型"],
  ["DASHSCOPE_API_KEY", "DashScope API key", "Qwen / 通义千问"],
  ["GEMINI_API_KEY", "Gemini API key", "Models of Google / Google 的模型"],
  ["TAVILY_API_KEY", "Tavily API key", "Web search; works without a key, less often / 网页搜索，没有密钥时次数有限"],
];

const tools = [
  ["agent_ask", "Gives a question or task to the agent, which plans, calls tools and answers with sources."],
  ["agent_result", "Gets the result, or the progress, of a run that was still going on."],
  ["agent_cancel", "Ends a run."],
];

/** The manifest, with name, version and the like from `package.json`. */
export function manifestOf({ version, description, license, engines, keywords }) {
  const fields = keys.map(([variable, title, what]) => [
    variable.toLowerCase(),
    { ...secret, title, description: what },
  ]);
  const env = keys.map(([variable]) => [variable, `\${user_config.${variable.toLowerCase()}}`]);
  return {
    manifest_version: "0.3",
    name: "duet",
    display_name: "Duet",
    version,
    description,
    long_description: about,
    author: { name: "The Duet authors" },
    license,
    keywords,
    icon: "icon.png",
    server: {
      type: "node",
      entry_point: "server/main.mjs",
      mcp_config: {
        command: "node",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in.
        args: ["${__dirname}/server/main.mjs"],
        env: {
          ...Object.fromEntries(env),
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in.
          DUET_BUNDLE_CONFIG: "${user_config.config}",
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in.
          DUET_BUNDLE_LOCALE: "${user_config.locale}",
        },
      },
    },
    tools: tools.map(([name, what]) => ({ name, description: what })),
    user_config: { ...Object.fromEntries(fields), config, locale },
    compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: engines.node } },
  };
}

// With an empty default a host fills in nothing, where it would else leave the placeholder.
const secret = { type: "string", sensitive: true, required: false, default: "" };

const config = {
  type: "file",
  title: "Configuration file",
  description: "duet.config.json: models, MCP servers, rules. Not needed / 模型、MCP 服务器、规则；可以不填",
  required: false,
};

const locale = {
  type: "string",
  title: "Language / 语言",
  description: "zh or en; the system's when empty / zh 或 en，不填则随系统",
  required: false,
  default: "",
};

const about =
  "Duet is an agent behind one tool. A cheap model picks the tools (your MCP servers, web search, files, a calculator), " +
  "a strong model writes the answer with checked sources, and every step is shown as progress. One key of any provider " +
  "is enough; without a key it says what is missing.\n\n" +
  "Duet 是一个只有一个入口的智能体：便宜的模型选择工具，强的模型写出带来源的回答，每一步都有进度。任一提供商的一个密钥即可使用。";
