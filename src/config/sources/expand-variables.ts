import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { hideSecrets } from "../secrets/mask.ts";
import type { Path } from "./setting-path.ts";

export type Environment = Record<string, string | undefined>;

/** Describes a reference to a variable that cannot be replaced. */
export interface ReferenceProblem {
  path: Path;
  text: Text;
  /** Is the variable, where it is valid and not set. */
  unset?: string | undefined;
}

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${env:VAR}` in every string of the tree, once: what a variable holds is
 * not expanded again. An empty variable counts as unset, `$${` stands for `${`. What cannot be replaced stays as it is written,
 * and is reported with the path of its key. Hooks stay as they are: the shell that runs them expands their own.
 */
export function expandVariables(
  tree: unknown,
  environment: Environment,
  report: (problem: ReferenceProblem) => void,
  path: Path = [],
): unknown {
  if (typeof tree === "string") return expandText(tree, environment, (text, unset) => report({ path, text, unset }));
  if (Array.isArray(tree)) {
    return tree.map((item, index) => expandVariables(item, environment, report, [...path, index]));
  }
  if (!isRecord(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      path.length === 0 && key === "hooks" ? value : expandVariables(value, environment, report, [...path, key]),
    ]),
  );
}

function expandText(text: string, environment: Environment, report: (problem: Text, unset?: string) => void): string {
  return text.replace(reference, (found: string) => {
    if (found === "$${") return "${";
    const parts = understood.exec(found)?.groups;
    if (parts?.name === undefined) {
      report(describeInvalid(hideSecrets(found, [])));
      return found;
    }
    const value = Object.hasOwn(environment, parts.name) ? environment[parts.name] : undefined;
    if (value) return value;
    if (parts.fallback !== undefined) return parts.fallback;
    report(describeUnset(parts.name), parts.name);
    return found;
  });
}

/** Lists the variables that `expandVariables` would replace in the tree, in the tree's order. */
export function listVariables(tree: unknown): string[] {
  if (typeof tree === "object" && tree !== null) return Object.values(tree).flatMap(listVariables);
  const found = typeof tree === "string" ? (tree.match(reference) ?? []) : [];
  return found.flatMap((each) => understood.exec(each)?.groups?.name ?? []);
}

const reference = /\$\$\{|\$\{[^}]*\}?/g;
const understood = /^\$\{(?:env:)?(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>(?:(?!\$\{)[^}])*))?\}$/;

const describeUnset = (name: string) => ({
  zh: `环境变量 ${name} 未设置（可写默认值：\${${name}:-默认值}）`,
  en: `the variable ${name} is not set (a default is allowed: \${${name}:-default})`,
});
const describeInvalid = (found: string) => ({
  zh: `无法识别 ${found}（允许：\${VAR}、\${VAR:-默认值}、\${env:VAR}；字面的 \${ 写作 $\${）`,
  en: `${found} is not valid (allowed: \${VAR}, \${VAR:-default}, \${env:VAR}; a literal \${ is written $\${)`,
});
