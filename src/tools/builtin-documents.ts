import type { Tool } from "../core/tools/tool.ts";
import { type Locale, say } from "../kit/errors.ts";
import { createBuiltinTools } from "./builtin/builtin-tools.ts";
import { builtinExamples } from "./builtin-examples.ts";
import { documentTools } from "./tool-documents.ts";

/** Returns every built-in tool, including those that only a configuration turns on. */
export function listBuiltinTools(locale: Locale): Tool[] {
  return createBuiltinTools({
    roots: ["."],
    locale,
    web: { hosts: ["api.example.com"], reach: [], ports: [443] },
    email: {
      host: "mail.example.com",
      port: 465,
      secure: true,
      from: "duet@example.com",
      recipients: ["*@example.com"],
    },
    search: { backend: "auto", maxResults: 5, snippetLength: 300, keyless: true },
  });
}

/** Writes the committed page of the built-in tools: `docs/tools.md` and `docs/tools.zh.md`. */
export function documentBuiltinTools(locale: Locale): string {
  const head = say(locale, {
    zh: "# 内置工具\n\n本页由 `npm run docs` 根据工具的定义生成，请勿手工修改。您自己的配置中全部工具（包括 MCP 服务器的工具）的文档：`duet tools docs`。\n\n以下工具需要先配置才会启用：`web_search`（搜索服务）、`send_email`（`email`）、`http_request`（`web.hosts`）。",
    en: "# Built-in tools\n\nThis page is made by `npm run docs` from the definitions of the tools: do not edit it. `duet tools docs` writes the same of every tool of your configuration, MCP servers included.\n\n`web_search` needs a search service, `send_email` needs `email` and `http_request` needs `web.hosts` in the configuration.",
  });
  return `${head}\n\n${documentTools(listBuiltinTools(locale), { locale, examples: builtinExamples })}`;
}
