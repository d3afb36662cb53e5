import { setImmediate } from "node:timers/promises";
import type { Tool } from "../../core/tools/tool.ts";
import type { JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

/** Names a tool whose output schema hosts do not get, and says why. */
export interface UnusableOutputSchema {
  tool: Tool;
  fault: Text;
}

/** Finds the tools whose output schema a host could not compile. */
export type FindUnusable = (tools: readonly Tool[]) => Promise<UnusableOutputSchema[]>;

/** Creates a search that compiles each schema once. */
export function createFindUnusable(): FindUnusable {
  const known = new WeakMap<JsonSchema, Text | undefined>();
  return async (tools) => {
    const found: UnusableOutputSchema[] = [];
    for (const tool of tools) {
      const { outputSchema } = tool;
      if (outputSchema === undefined) continue;
      if (!known.has(outputSchema)) {
        const { findHostFault } = await import("../../tools/schema/find-host-fault.ts");
        // Compiling takes its time, and others have a turn in between.
        await setImmediate();
        known.set(outputSchema, findHostFault(outputSchema));
      }
      const fault = known.get(outputSchema);
      if (fault !== undefined) found.push({ tool, fault });
    }
    return found;
  };
}

/** Creates a function that takes away the output schemas that no host could compile. `warn` receives a line for each, once. */
export function createOutputSchemaFilter(
  warn: (line: Text) => void,
): (tools: readonly Tool[]) => Promise<readonly Tool[]> {
  const findUnusable = createFindUnusable();
  const told = new WeakSet<JsonSchema>();
  return async (tools) => {
    const unusable = await findUnusable(tools);
    if (unusable.length === 0) return tools;
    for (const each of unusable) {
      const { outputSchema } = each.tool;
      if (outputSchema === undefined || told.has(outputSchema)) continue;
      told.add(outputSchema);
      warn(toWarning(each));
    }
    const without = new Set(unusable.map(({ tool }) => tool));
    return tools.map((tool) => (without.has(tool) ? { ...tool, outputSchema: undefined } : tool));
  };
}

function toWarning({ tool: { name, source }, fault }: UnusableOutputSchema): Text {
  const said = describeLeftOutSchema(fault);
  return { zh: `MCP 服务器 ${source}：工具 ${name}：${said.zh}`, en: `MCP server ${source}: tool ${name}: ${said.en}` };
}

/** Says what becomes of a tool whose output schema no host could compile. */
export function describeLeftOutSchema(fault: Text): Text {
  return {
    zh: `outputSchema 无法编译（${fault.zh}），列给宿主时会去掉，结果不再检查。`,
    en: `its output schema cannot be compiled (${fault.en}); hosts get the tool without it, and its results are not checked.`,
  };
}
