import type { Inventory } from "../../app/tools/tool-inventory.ts";
import type { Config } from "../../config/config.ts";
import { isToolMeant, parseToolPattern } from "../../core/tools/tool-pattern.ts";
import type { Finding } from "./findings.ts";

const settings = ["allow", "deny", "ask", "private"] as const;

/**
 * Reports the patterns whose name none of the tools has. Returns nothing while a server's tools are not known, because they could
 * be meant. A tool may come later, so this is no fault.
 */
export function checkPatterns({ tools, dropped, servers }: Inventory, config: Config): Finding[] {
  if (servers.some(({ state }) => state !== "ready")) return [];
  const known = [...tools, ...dropped];
  return settings.flatMap((setting) =>
    (config.tools[setting] ?? [])
      .filter((written) => {
        const pattern = parseToolPattern(written);
        return !("problem" in pattern) && !known.some((tool) => isToolMeant(pattern, tool));
      })
      .map((written): Finding => {
        const [what, text] = [`tools.${setting}`, { zh: "现在没有这个名字的工具。", en: "no tool has this name now." }];
        return { topic: "tools", state: "none", what: { zh: what, en: what }, name: written, text };
      }),
  );
}
