import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import type { Tool, ToolAnnotations } from "../../../core/tools/tool.ts";

export type Hints = NonNullable<ListedTool["annotations"]>;

/** A server, as far as it matters what its tools could do. */
export interface KnownServer {
  readonly name: string;
  /** `ready` when its list is in. */
  readonly state: string;
  readonly toolCount: number;
}

/**
 * What `agent_ask` may do with these tools. What a server claims of its own counts for nothing, and neither does what is not
 * said: a host may let a harmless tool run unasked. That a call will be asked about counts for nothing either: where nobody
 * can be asked, it is the host's model that passes the consent on.
 */
export function toAgentHints(tools: readonly Tool[], servers: readonly KnownServer[]): Hints {
  const downstream = new Set(servers.map(({ name }) => name));
  const said = tools.map((tool) => trusted(tool, downstream));
  // What a server that has not been there yet will bring is not known.
  if (servers.some(({ state, toolCount }) => state !== "ready" && toolCount === 0)) said.push({});
  return {
    readOnlyHint: said.every(isReadOnly),
    destructiveHint: !said.every((each) => isReadOnly(each) || each.destructive === false),
    idempotentHint: false,
    openWorldHint: said.some(({ openWorld }) => openWorld !== false),
  };
}

/** What a tool says of itself where it is ours or the user's own; nothing for one of a server. */
function trusted({ source, annotations }: Tool, downstream: ReadonlySet<string>): ToolAnnotations {
  // A server may have been given one of these names.
  if (downstream.has(source)) return {};
  // The built-in ones say where they reach out.
  if (source === "builtin") return { openWorld: false, ...annotations };
  return source === "user" || source === "skills" ? annotations : {};
}

function isReadOnly({ readOnly, destructive }: ToolAnnotations): boolean {
  return readOnly === true && destructive !== true;
}
