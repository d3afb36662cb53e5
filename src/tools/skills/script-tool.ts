import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import { createFailure, type Tool, type ToolContext, type ToolResult } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { createChildEnvironment, type Environment } from "../../kit/process/child-environment.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";
import { defineTool } from "../define-tool.ts";
import { findAllowed } from "../files/allowed-path.ts";
import { runScript } from "./run-script.ts";
import { findCommand } from "./script-command.ts";
import { toScriptResult } from "./script-result.ts";
import type { Skill } from "./skill.ts";

/** What scripts are run with. */
export interface ScriptToolOptions {
  /** Ours, of which a script sees only what it needs to run. */
  environment: Environment;
  lifeline: Lifeline;
  locale: Locale;
  /** Milliseconds of one run. */
  timeoutMs: number;
}

/** Runs the scripts of skills as child processes; undefined where no skill has any. */
export function createScriptTool(skills: readonly Skill[], surroundings: ScriptToolOptions): Tool | undefined {
  const able = skills.filter(({ scripts }) => scripts.length > 0);
  if (able.length === 0) return undefined;
  const { locale, timeoutMs } = surroundings;
  return defineTool({
    name: "skill_script",
    source: "skills",
    description: say(locale, purpose(timeoutMs / 1000)),
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", enum: able.map(({ name }) => name), description: say(locale, words.name) },
        script: { type: "string", description: say(locale, words.script) },
        args: { type: "array", items: { type: "string" }, description: say(locale, words.args) },
        stdin: { type: "string", description: say(locale, words.stdin) },
      },
      required: ["name", "script"],
      additionalProperties: false,
    },
    // Nobody knows what a script does: by default a person is asked.
    annotations: { destructive: true, openWorld: true },
    async run(args, context) {
      const skill = able.find(({ name }) => name === args.name);
      if (skill === undefined) throw new Error(`There is no skill with scripts named ${args.name}`);
      return run(skill, args, surroundings, context);
    },
  });
}

async function run(
  skill: Skill,
  args: JsonObject,
  { environment, lifeline, timeoutMs }: ScriptToolOptions,
  { signal, locale }: ToolContext,
): Promise<ToolResult> {
  const wanted = String(args.script);
  const script = scriptNamed(wanted, skill);
  const path = script && (await findAllowed(script, [skill.folder]));
  if (script === undefined || path === undefined) return unknownScript(wanted, skill, locale);
  const [command, ...first] = (await findCommand(path)) ?? [];
  if (command === undefined) return createFailure("tool", say(locale, notRunnable(script)));
  const more = Array.isArray(args.args) ? args.args.map(String) : [];
  const ran = await runScript(
    {
      command,
      args: [...first, ...more],
      cwd: skill.folder,
      env: createChildEnvironment(environment, {}),
      stdin: typeof args.stdin === "string" ? args.stdin : "",
      timeoutMs,
      signal,
    },
    lifeline,
  );
  return toScriptResult(script, command, ran, { timeoutMs, locale });
}

/** As the skill's list has it, or without the folder. */
function scriptNamed(wanted: string, { scripts }: Skill): string | undefined {
  const plain = wanted.replace(/^\.\//, "");
  return scripts.find((script) => script === plain || script === `scripts/${plain}`);
}

function unknownScript(wanted: string, { scripts }: Skill, locale: Locale): ToolResult {
  const list = scripts.slice(0, 20).map((script) => JSON.stringify(script));
  const allowed = list.join(", ");
  return toInvalidArgumentsResult(locale, [
    toValueProblem("script", wanted, `必须是以下之一: ${allowed}`, `must be one of: ${allowed}`),
  ]);
}

function notRunnable(script: string): Text {
  return {
    zh: `${script} 无法运行：它不可执行，也不是 .py、.js、.mjs、.cjs、.ts、.mts、.sh、.bash、.rb 文件。`,
    en: `${script} cannot be run: it is not executable, nor a file that ends in .py, .js, .mjs, .cjs, .ts, .mts, .sh, .bash or .rb.`,
  };
}

function purpose(seconds: number): Text {
  return {
    zh: `运行一项技能自带的脚本（先用 skill 读取它的说明）。脚本在技能的文件夹中运行，最长 ${seconds} 秒。`,
    en: `Runs a script of a skill (read its text with \`skill\` first). It runs in the skill's folder, for ${seconds} s at most.`,
  };
}
const words: Record<"name" | "script" | "args" | "stdin", Text> = {
  name: { zh: "技能的名称", en: "The skill's name" },
  script: { zh: "脚本，例如 scripts/fill.py", en: "The script, such as scripts/fill.py" },
  args: { zh: "参数，每个一项；不经过 shell", en: "Its arguments, one an item; no shell is involved" },
  stdin: { zh: "写到标准输入的文字", en: "A text for its standard input" },
};
