import type { JsonObject } from "../kit/json.ts";

/** These example calls of the built-in tools are for documents and are not sent to models. */
export const builtinExamples: Readonly<Record<string, readonly JsonObject[]>> = {
  echo: [{ text: "hello" }],
  calculator: [{ expression: "(24 + 17) / 2" }, { numbers: [1, 2, 3, 4, 5], operations: ["mean", "max"] }],
  file_search: [{ query: "openSkill", root_dir: "./data/docs", limit: 5 }],
  read_file: [{ path: "README.md", start_line: 1, lines: 40 }],
  log_transform: [{ path: "data/logs/app.log", level: "ERROR" }],
  current_time: [{ timezone: "Asia/Shanghai" }],
  format_data: [{ data: "name,age\nAda,36", from: "csv", to: "json" }],
  context: [{}],
  send_email: [{ to: ["ada@example.com"], subject: "Minutes", text: "See you at ten." }],
  read_page: [{ url: "https://example.com/article" }],
  health_check: [{ targets: ["https://example.com"] }],
  http_request: [{ url: "https://api.example.com/v1/items", method: "GET" }],
  web_search: [{ query: "Beijing house prices trend November 2026" }],
};
