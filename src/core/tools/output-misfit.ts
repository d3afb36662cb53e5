import type { JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { ArgumentProblem } from "./tool.ts";

/** Returns the first problem of a tool's structured content by its output schema; undefined where there is none. */
export type OutputCheck = (schema: JsonSchema, structured: unknown) => Promise<ArgumentProblem | undefined>;

/** Says what is wrong with structured content, behind the words for the result. */
export function describeMisfit({ path, text }: ArgumentProblem): Text {
  const place = path === "" ? "" : `${path}: `;
  return {
    zh: `的结构化内容不符合输出模式（${place}${text.zh}）`,
    en: `has structured content that does not fit its output schema (${place}${text.en})`,
  };
}
