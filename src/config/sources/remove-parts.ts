import { isRecord } from "../../kit/json.ts";
import { getValue, type Path } from "./setting-path.ts";

/** Lists the keys whose entries are left out as a whole, because half of one could mean something else. */
const wholeEntries = ["mcpServers", "servers", "models", "providers"];

/**
 * Returns the part that is left out where the value at `path` is wrong: the server, model or provider that it belongs to, a whole
 * list, or else the value. Where it is missing, that is what should have had it.
 */
export function findBrokenPart(tree: unknown, path: Path): Path {
  const [first, second] = path;
  if (second !== undefined && wholeEntries.includes(String(first))) return path.slice(0, 2);
  const inList = path.findIndex((step) => typeof step === "number");
  const part = inList < 0 ? path : path.slice(0, inList);
  return part.length > 0 && getValue(tree, part) === undefined ? findBrokenPart(tree, part.slice(0, -1)) : part;
}

/** Returns the tree without the values at these paths. An empty path leaves nothing. */
export function removeParts(tree: unknown, parts: readonly Path[]): unknown {
  return parts.reduce<unknown>((rest, part) => removePart(rest, part), tree);
}

function removePart(tree: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return {};
  if (!isRecord(tree)) return tree;
  const { [step]: value, ...others } = tree;
  return rest.length === 0 || value === undefined ? others : { ...tree, [step]: removePart(value, rest) };
}
