import type { ClientToolDefinition, ClientTools, PendingCall } from "../../core/client-tools.ts";
import { toInvalidArgumentsResult } from "../../core/tools/argument-feedback.ts";
import { clientSource, createFailure, type Tool, type ToolResult } from "../../core/tools/tool.ts";
import type { JsonSchema } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";

export interface ClientToolOptions {
  /** Makes the error for a field of a definition. The text says what is allowed. */
  refuse(index: number, field: "name" | "inputSchema", text: Text): Error;
  /** Is false where the program takes one call at a time. */
  isParallel: boolean;
}

/**
 * Opens the tools of a program that asks. Throws what `refuse` makes for a name or a schema that cannot be used, before any model is
 * called. Arguments are checked here, so that the program gets no call that its schema forbids.
 */
export async function openClientTools(
  definitions: readonly ClientToolDefinition[],
  { refuse, isParallel }: ClientToolOptions,
): Promise<ClientTools> {
  const { compileKnownParts, findSchemaErrors } = await import("../../tools/schema/compile-schema.ts");
  const { describeProblems } = await import("../../tools/schema/with-validation.ts");
  let held: PendingCall[] = [];
  checkNames(definitions, refuse);
  checkSchemas();

  /** Checks all schemas at once: a validator for each would take long. Those that no dialect is named for may be of either. */
  function checkSchemas(): void {
    const wrong = findWrong([...definitions.keys()], undefined);
    const [index] = wrong.length > 0 ? findWrong(wrong, draft07) : [];
    if (index === undefined) return;
    throw refuse(index, "inputSchema", {
      zh: "不是 JSON Schema（允许：根为 object 的 JSON Schema）",
      en: "is no JSON Schema (allowed: a JSON Schema whose root is an object)",
    });
  }

  function findWrong(indexes: readonly number[], dialect: string | undefined): number[] {
    const properties = Object.fromEntries(
      indexes.map((index) => [index, removeDialect(definitions[index]?.inputSchema ?? {})]),
    );
    const errors = findSchemaErrors({ ...(dialect && { $schema: dialect }), type: "object", properties });
    return [...new Set(errors.map(({ instancePath }) => Number(/^\/properties\/(\d+)/.exec(instancePath)?.[1] ?? 0)))];
  }

  function createTool({ name, description, inputSchema }: ClientToolDefinition): Tool {
    let check: ReturnType<typeof compileKnownParts> | undefined;
    return {
      name,
      description,
      inputSchema,
      source: clientSource,
      annotations: {},
      // Whoever hands over the calls of a turn relies on this: a call is held, or has its result, before anything is waited for.
      run(args, { locale }) {
        try {
          check ??= compileKnownParts(inputSchema);
        } catch {
          check = () => [];
        }
        const problems = describeProblems(check(args));
        if (problems.length > 0) return Promise.resolve(toInvalidArgumentsResult(locale, problems));
        if (!isParallel && held.length > 0) return Promise.resolve(createFailure("tool", say(locale, oneAtATime)));
        const { promise, resolve } = Promise.withResolvers<ToolResult>();
        const call = { id: `call_${createRandomHex()}`, name, argumentsText: JSON.stringify(args) };
        held.push({ call, settle: resolve });
        return promise;
      },
    };
  }

  return {
    tools: definitions.map(createTool),
    takePending() {
      const taken = held;
      held = [];
      return taken;
    },
  };
}

const draft07 = "http://json-schema.org/draft-07/schema#";

function removeDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** Matches what bridges to MCP servers call their tools, whatever vendors take. A name stands in prompts, logs and on terminals. */
const possibleName = /^[\p{L}\p{M}\p{N}_.:/@+~#$-]{1,256}$/u;

function checkNames(definitions: readonly ClientToolDefinition[], refuse: ClientToolOptions["refuse"]): void {
  const seen = new Set<string>();
  for (const [index, { name, inputSchema }] of definitions.entries()) {
    const shown = JSON.stringify(toShortLine(name, 80));
    if (!possibleName.test(name))
      throw refuse(index, "name", {
        zh: `${shown} 不可用（允许：1 到 256 个字母、数字或 _ - . : / @ + ~ # $）`,
        en: `${shown} (allowed: 1 to 256 letters, digits or any of _ - . : / @ + ~ # $)`,
      });
    if (seen.has(name))
      throw refuse(index, "name", {
        zh: `${shown} 重复（允许：每个名称一次）`,
        en: `${shown} is there twice (allowed: each name once)`,
      });
    seen.add(name);
    const { type = "object" } = inputSchema;
    if (type !== "object")
      throw refuse(index, "inputSchema", {
        zh: `类型 ${JSON.stringify(type)} 不可用（允许：根为 object 的 JSON Schema）`,
        en: `the type ${JSON.stringify(type)} (allowed: a JSON Schema whose root is an object)`,
      });
  }
}

const oneAtATime: Text = {
  zh: "提问的程序一次只接受一个调用，这个调用没有执行；得到结果后再调用。",
  en: "The program that asks takes one call at a time, so this one was not made; make it once you have the result.",
};
