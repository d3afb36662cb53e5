import { isRecord } from "../../kit/json.ts";
import { configError } from "../config-errors.ts";
import { hideSecrets } from "../secrets/mask.ts";
import { type Path, renderPath } from "./setting-path.ts";

export type Environment = Record<string, string | undefined>;

/**
 * Replaces `${VAR}`, `${VAR:-default}` and `${env:VAR}` in every string of the tree, once: what a variable holds is
 * not expanded again. An empty variable counts as unset, `$${` stands for `${`. Throws with the path of the key
 * where a variable has neither a value nor a default. Hooks stay as they are: the shell that runs them expands their own.
 */
export function expandVariables(tree: unknown, environment: Environment, file: string, path: Path = []): unknown {
  if (typeof tree === "string") return expandText(tree, environment, `${file}: ${renderPath(path)}`);
  if (Array.isArray(tree)) return tree.map((item, index) => expandVariables(item, environment, file, [...path, index]));
  if (!isRecord(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      path.length === 0 && key === "hooks" ? value : expandVariables(value, environment, file, [...path, key]),
    ]),
  );
}

function expandText(text: string, environment: Environment, where: string): string {
  return text.replace(reference, (found: string) => {
    if (found === "$${") return "${";
    const parts = understood.exec(found)?.groups;
    if (parts?.name === undefined) throw configError(where, describeInvalid(hideSecrets(found, [])));
    const value = Object.hasOwn(environment, parts.name) ? environment[parts.name] : undefined;
    if (value) return value;
    if (parts.fallback === undefined) throw configError(where, describeUnset(parts.name));
    return parts.fallback;
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
