import { setImmediate } from "node:timers/promises";
import type { Tool } from "../../core/tools/tool.ts";
import type { JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

/** Names a tool whose output schema hosts do not get, and says why. */
export interface UnusableOutputSchema {
  tool: Tool;
  fault: Text;
}

/** Finds the tools whose output schema a host could not compile, or which takes too long to compile. */
export type OutputSchemaCheck = (tools: readonly Tool[]) => Promise<UnusableOutputSchema[]>;

/**
 * Limits the characters of one schema and of all those of a list, without descriptions: 8,000 take up to about 50 milliseconds to compile, in
 * one go.
 */
const mostCharacters = { schema: 8000, list: 100_000 };

interface KnownSchema {
  /** Counts what `mostCharacters` limits. */
  characters: number;
  /** Is absent until the schema is compiled. */
  fault?: Promise<Text | undefined>;
}

/** Creates a check that compiles each schema once, also for lists that are asked for at the same time. */
export function createOutputSchemaCheck(): OutputSchemaCheck {
  const schemas = new WeakMap<JsonSchema, KnownSchema>();

  function getKnown(schema: JsonSchema): KnownSchema {
    const known = schemas.get(schema) ?? { characters: countCharacters(schema) };
    schemas.set(schema, known);
    return known;
  }

  return async (tools) => {
    const found: UnusableOutputSchema[] = [];
    let inList = 0;
    for (const tool of tools) {
      const { outputSchema } = tool;
      if (outputSchema === undefined) continue;
      const known = getKnown(outputSchema);
      const excess = describeExcess(known.characters, inList);
      if (excess === undefined) {
        inList += known.characters;
        known.fault ??= compile(outputSchema);
      }
      const fault = excess ?? (await known.fault);
      if (fault !== undefined) found.push({ tool, fault });
    }
    return found;
  };
}

async function compile(schema: JsonSchema): Promise<Text | undefined> {
  const { findHostFault } = await import("../../tools/schema/find-host-fault.ts");
  // Compiling takes its time, and others have a turn in between.
  await setImmediate();
  return findHostFault(schema);
}

/** Counts without descriptions and titles, which cost nothing to compile. A property of such a name is a schema and no text. */
function countCharacters(schema: JsonSchema): number {
  const counted = JSON.stringify(schema, (key, value: unknown) =>
    typeof value === "string" && /^(?:description|title)$/.test(key) ? undefined : value,
  );
  return counted.length;
}

function describeExcess(characters: number, before: number): Text | undefined {
  const inList = before + characters;
  if (characters > mostCharacters.schema)
    return {
      zh: `outputSchema 除说明外有 ${characters} 个字符（上限 ${mostCharacters.schema}）`,
      en: `its output schema has ${characters} characters without descriptions (limit ${mostCharacters.schema})`,
    };
  if (inList > mostCharacters.list)
    return {
      zh: `加上它的 outputSchema，整个列表的 outputSchema 除说明外有 ${inList} 个字符（上限 ${mostCharacters.list}）`,
      en: `with its output schema, those of the list have ${inList} characters without descriptions (limit ${mostCharacters.list})`,
    };
  return undefined;
}

/** Creates a function that takes away the output schemas that cannot be compiled, or not soon enough. `warn` receives a line for each, once. */
export function createOutputSchemaFilter(
  warn: (line: Text) => void,
): (tools: readonly Tool[]) => Promise<readonly Tool[]> {
  const findUnusable = createOutputSchemaCheck();
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

/** Says what becomes of a tool whose output schema hosts do not get. */
export function describeLeftOutSchema(fault: Text): Text {
  return {
    zh: `${fault.zh}，列给宿主时会去掉，结果不再检查。`,
    en: `${fault.en}; hosts get the tool without it, and its results are not checked.`,
  };
}
