import { isRecord } from "../../kit/json.ts";
import { getValue, type Path, renderPath } from "./setting-path.ts";
import type { Origin, Source } from "./source.ts";

/**
 * One tree out of all, a later one over an earlier: objects join key by key, everything else is replaced. A model is
 * replaced as a whole too: half of one and half of another would be neither.
 */
export function mergeTrees(trees: readonly unknown[]): unknown {
  return trees.reduce((below, above) => over(below, above, []), {});
}

function over(below: unknown, above: unknown, path: Path): unknown {
  if (above === undefined) return below;
  if (!isRecord(below) || !isRecord(above) || isModel(path)) return above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, over(getValue(below, [key]), getValue(above, [key]), [...path, key])]),
  );
}

function isModel(path: Path): boolean {
  return path.length === 2 && path[0] === "models";
}

/** Who said each value of `tree`: the last source that has it, else the defaults. Lists count as one value. */
export function findOrigins(tree: unknown, sources: readonly Source[]): Record<string, Origin> {
  const origins = listLeaves(tree).map((path): [string, Origin] => {
    const source = sources.findLast((each) => getValue(each.tree, path) !== undefined);
    return [renderPath(path), source?.origin(path) ?? { from: "default" }];
  });
  return Object.fromEntries(origins);
}

/** The paths of all values that are not objects with something in them. */
export function listLeaves(tree: unknown, path: Path = []): Path[] {
  if (tree === undefined) return [];
  if (!isRecord(tree) || Object.keys(tree).length === 0) return [path];
  return Object.entries(tree).flatMap(([key, value]) => listLeaves(value, [...path, key]));
}
