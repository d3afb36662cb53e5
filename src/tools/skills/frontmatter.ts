// The parser is CommonJS and of some weight: whoever needs this file imports it when first needed.
import { parse } from "yaml";
import { getMessage } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

/** Holds the parts of a `SKILL.md`. Without frontmatter, the whole text is the body. */
export interface SkillDocument {
  fields: Record<string, unknown>;
  body: string;
}

/** Returns the YAML between the first line `---` and the next one, and the Markdown below, or describes what is wrong. */
export function readDocument(text: string): SkillDocument | { problem: Text } {
  const whole = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (!/^---[ \t]*\n/.test(whole)) return { fields: {}, body: whole.trim() };
  const [head, yaml] = /^---[ \t]*\n([\s\S]*?\n)??---[ \t]*(?:\n|$)/.exec(whole) ?? [];
  if (head === undefined)
    return { problem: { zh: "开头的元数据没有用 --- 结束", en: "the front matter is not closed with ---" } };
  try {
    const fields: unknown = parse(yaml ?? "") ?? {};
    if (isRecord(fields)) return { fields, body: whole.slice(head.length).trim() };
    return { problem: { zh: "开头的 YAML 不是键值对", en: "the front matter has no keys" } };
  } catch (thrown) {
    const [why = ""] = getMessage(thrown).split("\n");
    return { problem: { zh: `开头的 YAML 有误：${why}`, en: `the front matter is not valid YAML: ${why}` } };
  }
}
