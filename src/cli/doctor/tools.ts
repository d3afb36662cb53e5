import { stat } from "node:fs/promises";
import type { Inventory } from "../../app/open-duet.ts";
import { findMissingTools, isUserTool } from "../../app/tools/own-tools.ts";
import type { Config } from "../../config/load-config.ts";
import type { Text } from "../../kit/locale.ts";
import type { Finding } from "./findings.ts";

/** What the user's own directory of tools gives, and a line for each part of it that cannot be used; nothing where there is none. */
export function checkOwnTools({ tools, dropped }: Inventory, { tools: { directory } }: Config): Finding[] {
  const names = tools.filter(isUserTool).map(({ name }) => name);
  const there: Finding = {
    topic: "tools",
    state: "ok",
    what,
    name: directory ?? "",
    text: { zh: names.join("、"), en: names.join(", ") },
    details: { tools: names },
  };
  const broken = findMissingTools(dropped).map(({ name, source, reason, text }): Finding => {
    return { topic: "tools", state: "failed", what, name: "", text, details: { tool: name, source, reason } };
  });
  return [...(names.length > 0 ? [there] : []), ...broken];
}

/** The directories that file tools may read and that are not there; a tool would find nothing in them and say no more. */
export async function checkRoots({ tools: { roots } }: Config): Promise<Finding[]> {
  const there = await Promise.all(
    roots.map((root) =>
      stat(root).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    ),
  );
  return roots
    .filter((_, index) => !there[index])
    .map((root): Finding => {
      const text = { zh: "没有这个目录。", en: "there is no such directory." };
      return { topic: "tools", state: "failed", what: { zh: "tools.roots", en: "tools.roots" }, name: root, text };
    });
}

const what: Text = { zh: "自己的工具", en: "own tools" };
