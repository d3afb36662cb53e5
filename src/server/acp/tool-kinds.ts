import type { ToolKind } from "@agentclientprotocol/sdk";
import type { Duet } from "../../app/duet.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";

/** Remembers the kinds of tools, which editors choose icons by. */
export function createKinds(duet: Duet): { read(): Promise<(tool: string) => ToolKind> } {
  return {
    async read() {
      const inventory = await ignoreRejection(duet.inventory(undefined, 0), "a tool of unknown kind is shown as any");
      const known = new Map(inventory?.tools.map((tool) => [tool.name, toKind(tool)]));
      return (tool) => known.get(tool) ?? "other";
    },
  };
}

/** Says what kind of tool it is, as far as its name and its own claims tell. It decides about an icon alone. */
function toKind({ name, annotations }: Tool): ToolKind {
  const words = name.toLowerCase();
  const found = namedKinds.find(({ pattern }) => pattern.test(words));
  if (found) return found.kind;
  if (annotations.readOnly === true) return annotations.openWorld === true ? "fetch" : "read";
  return "other";
}

const namedKinds: readonly { pattern: RegExp; kind: ToolKind }[] = [
  { pattern: /search|find|grep/, kind: "search" },
  { pattern: /fetch|http|read_page|browse/, kind: "fetch" },
  { pattern: /delete|remove/, kind: "delete" },
  { pattern: /move|rename/, kind: "move" },
  { pattern: /edit|write|patch|create_file/, kind: "edit" },
  { pattern: /run|exec|shell|command/, kind: "execute" },
  { pattern: /think/, kind: "think" },
];
