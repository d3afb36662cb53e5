import { createTimeLimit } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Environment } from "../../kit/process/child-environment.ts";
import { createLifeline } from "../../kit/process/lifeline.ts";
import { type LoadedTools, toDroppedTool, toFileError } from "../directory/broken-tools.ts";
import { withFailure } from "../directory/with-failure.ts";
import { withTimeout } from "../tool-limits.ts";
import { loadSkill } from "./load-skill.ts";
import { createScriptTool } from "./script-tool.ts";
import type { Skill } from "./skill.ts";
import { createSkillTool } from "./skill-tool.ts";

export interface SkillsOptions {
  /** Our environment, of which a script sees only what it needs to run. */
  environment: Environment;
  locale: Locale;
  /** Milliseconds of one run of a script; a minute when absent. */
  timeoutMs?: number;
}

/** The tools that give the model its skills. Close them when none is needed any more. */
export interface LoadedSkills extends LoadedTools {
  /** Ends the watch over scripts; what still runs is ended. */
  close(): void;
}

/** Reads the skills of a directory by the names of their folders. What cannot be used is left out and named. Never rejects. */
export async function loadSkills(
  directory: string,
  folders: readonly string[],
  { environment, locale, timeoutMs = 60_000 }: SkillsOptions,
): Promise<LoadedSkills> {
  const skills: Skill[] = [];
  const dropped: LoadedTools["dropped"] = [];
  const limit = createTimeLimit(10_000, late);
  await Promise.all(
    folders.map((name) =>
      loadSkill(directory, name, limit.signal).then(
        (skill) => skills.push(skill),
        (thrown: unknown) => dropped.push(toDroppedTool(name, "skills", toFileError(`${name}/SKILL.md`, thrown))),
      ),
    ),
  );
  limit.clear();
  if (skills.length === 0) return { tools: [], dropped, close: () => {} };
  skills.sort((one, other) => (one.name < other.name ? -1 : 1));
  const lifeline = createLifeline(environment.PATH);
  // Scripts need process groups, which Windows has not.
  const surroundings = { environment, lifeline, locale, timeoutMs };
  const scripts = process.platform === "win32" ? undefined : createScriptTool(skills, surroundings);
  const texts = withTimeout(createSkillTool(skills, locale), 15_000);
  const tools = [texts, ...(scripts ? [scripts] : [])].map((tool) => withFailure(tool, tool.name));
  return { tools, dropped, close: () => lifeline.close() };
}

function late(): DuetError {
  return new DuetError({ code: "timeout", text: { zh: "10 秒内没有加载完", en: "did not load within 10 s" } });
}
