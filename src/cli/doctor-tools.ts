import { isOwn, lostTools } from "../app/own-tools.ts";
import type { Inventory } from "../app.ts";
import type { Config } from "../config.ts";
import type { Text } from "../core/locale.ts";
import type { Finding } from "./doctor-findings.ts";

/** What the user's own directory of tools gives, and a line for each part of it that cannot be used; nothing where there is none. */
export function ownToolsFindings({ tools, dropped }: Inventory, { tools: { directory } }: Config): Finding[] {
  const names = tools.filter(isOwn).map(({ name }) => name);
  const there: Finding = {
    topic: "tools",
    state: "ok",
    what,
    name: directory ?? "",
    text: { zh: names.join("、"), en: names.join(", ") },
    details: { tools: names },
  };
  const broken = lostTools(dropped).map(({ name, source, reason, text }): Finding => {
    return { topic: "tools", state: "failed", what, name: "", text, details: { tool: name, source, reason } };
  });
  return [...(names.length > 0 ? [there] : []), ...broken];
}

const what: Text = { zh: "自己的工具", en: "own tools" };
