import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { configError } from "../config-errors.ts";
import type { ReferenceProblem } from "./expand-variables.ts";
import { findBrokenPart } from "./remove-parts.ts";
import { getValue, type Path, renderPath } from "./setting-path.ts";
import type { SourceFault } from "./source.ts";

/** Describes a part of the file that is left out because it names a variable that is not set. Everything else is used. */
export interface UnsetPart {
  kind: "server" | "provider" | "search-key";
  /** Is the name of the server, the provider or the search service. */
  name: string;
  variable: string;
  /** Is one line that names the file, the key and the variable. */
  text: Text;
}

/** Holds what came of the references that cannot be replaced. */
export interface SortedProblems {
  faults: SourceFault[];
  unsetParts: UnsetPart[];
  /** Lists the paths of all that is left out of the file. */
  removed: Path[];
}

/**
 * Sorts what cannot be replaced. A variable that is not set leaves out the server or the provider that needs it, or the key of a
 * search service, and everything else is a fault of the file. A disabled server needs no variable.
 */
export function sortProblems(problems: readonly ReferenceProblem[], tree: unknown, shown: string): SortedProblems {
  const sorted: SortedProblems = { faults: [], unsetParts: [], removed: [] };
  for (const { path, text, unset } of problems) {
    const error = configError(`${shown}: ${renderPath(path)}`, text);
    const kind = unset === undefined ? undefined : findKind(path);
    const part = kind === "search-key" ? path : findBrokenPart(tree, path);
    if (kind === undefined || unset === undefined) sorted.faults.push({ path: part, error });
    else if (kind !== "server" || !isDisabled(getValue(tree, part))) {
      const name = String(part[1]);
      const known = sorted.unsetParts.some((other) => other.kind === kind && other.name === name);
      if (!known) sorted.unsetParts.push({ kind, name, variable: unset, text: error.text });
    }
    sorted.removed.push(part);
  }
  return sorted;
}

/** Returns undefined where nothing can be left out: without its address, a search would go somewhere else. */
function findKind([first, second, third, ...rest]: Path): UnsetPart["kind"] | undefined {
  if (second === undefined) return undefined;
  if (first === "mcpServers" || first === "servers") return "server";
  if (first === "providers") return "provider";
  return first === "search" && third === "apiKey" && rest.length === 0 ? "search-key" : undefined;
}

function isDisabled(server: unknown): boolean {
  return isRecord(server) && (server.disabled === true || server.enabled === false);
}

/** Says what is left out and why. An unused provider is no news. */
export function describeUnsetParts(parts: readonly UnsetPart[]): Text[] {
  return parts.flatMap(({ kind, name, text }): Text[] => {
    if (kind === "provider") return [];
    const what =
      kind === "server"
        ? { zh: `不使用服务器 ${name}`, en: `the server ${name} is left out` }
        : { zh: `不使用 ${name} 的密钥`, en: `the key of ${name} is left out` };
    return [{ zh: `${what.zh}：${text.zh}`, en: `${what.en}: ${text.en}` }];
  });
}
