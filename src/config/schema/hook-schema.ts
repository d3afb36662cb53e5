import * as z from "zod";
import { parseToolPattern } from "../../core/tools/tool-pattern.ts";
import type { Text } from "../../kit/locale.ts";

const createText = () => z.string().min(1);

const commandNeeded: Text = { zh: "要运行的命令", en: "the command to run" };
const moduleNeeded: Text = { zh: "模块文件的路径", en: "the path of a module" };
const matcherForms: Text = {
  zh: "工具名、用 | 分隔的工具名，或正则表达式",
  en: "a name, names with | between them, or a regular expression",
};
const callForms: Text = { zh: "NAME(参数)，例如 shell(rm *)", en: "NAME(ARGUMENT), such as shell(rm *)" };

/** Describes one hook, with the keys that Claude Code documents for commands. A module is ours. */
const createHandler = () =>
  z
    .strictObject({
      type: z.enum(["command", "module"]),
      command: createText().optional(),
      args: z.array(z.string()).optional(),
      module: createText().optional(),
      if: createText()
        .refine((written) => !("problem" in parseToolPattern(written)), { params: { allowed: callForms } })
        .optional(),
      timeout: z.number().gt(0).max(86_400).optional(),
      statusMessage: z.string().optional(),
      shell: z.enum(["bash"]).optional(),
      inheritEnv: z.array(createText()).optional(),
      // A hook that cannot decide anything any more when it ends is none that we run.
      async: z.literal(false).optional(),
      once: z.boolean().optional(),
    })
    .superRefine(({ type, command, module }, context) => {
      if (type === "command" && command === undefined)
        context.addIssue({ code: "custom", input: undefined, path: ["command"], params: { allowed: commandNeeded } });
      if (type === "module" && module === undefined)
        context.addIssue({ code: "custom", input: undefined, path: ["module"], params: { allowed: moduleNeeded } });
    });

/** Describes the hooks of one event: groups with a matcher, as Claude Code nests them. */
export const createHookGroups = () =>
  z.array(
    z.strictObject({
      matcher: z
        .string()
        .refine(isMatcher, { params: { allowed: matcherForms } })
        .optional(),
      // Stands for the tool's own name in what the hook reads: published hooks look for the tools of their program.
      toolName: createText().optional(),
      hooks: z.array(createHandler()).min(1),
      description: z.string().optional(),
    }),
  );

export type HookGroup = z.infer<ReturnType<typeof createHookGroups>>[number];

function isMatcher(written: string): boolean {
  try {
    return new RegExp(written === "*" ? "" : written) instanceof RegExp;
  } catch {
    return false;
  }
}
