import type { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import { maskValue } from "../secrets/mask.ts";
import { getValue, type Path, renderPath } from "./setting-path.ts";

/** Names the origin of a value: a file by its path, a variable or a flag by its name. */
export type Origin =
  | { from: "default" }
  | { from: "file"; name: string }
  /** `file` names the `.env` file that set the variable. */
  | { from: "environment"; name: string; file?: string }
  | { from: "flag"; name: string }
  /** The value was set by a program that embeds Duet. */
  | { from: "code"; name: string };

/** Each source has the shape of the configuration file. */
export interface Source {
  tree: unknown;
  /** Names the place of a key, for an error. */
  describePlace(path: Path): string;
  /** Returns a key in the spelling of this source. */
  toKey(key: string): string;
  /** Returns the value as it was written, in a printable form. */
  renderValue(path: Path): string;
  origin(path: Path): Origin;
}

/** Says what is wrong with a source, and where. */
export interface SourceFault {
  path: Path;
  error: DuetError;
}

/**
 * Creates the source for the configuration file. `tree` has its variables expanded, and errors show `written`, which is the tree
 * before that.
 */
export function createFileSource(
  file: string,
  shownAs: string,
  tree: unknown,
  written: unknown,
  secrets: readonly string[],
): Source {
  return {
    tree,
    describePlace: (path) => (path.length === 0 ? shownAs : `${shownAs}: ${renderPath(path)}`),
    toKey: (key) => key,
    // A model that is written in short has a value of its own only in the tree.
    renderValue: (path) => maskValue(getValue(written, path) ?? getValue(tree, path), path, secrets),
    origin: () => ({ from: "file", name: file }),
  };
}

/** Creates the source for the settings of a program that embeds Duet. Errors call it `name`. */
export function createCodeSource(name: string, tree: unknown, secrets: readonly string[]): Source {
  return {
    tree,
    describePlace: (path) => [name, renderPath(path)].filter((part) => part !== "").join(": "),
    toKey: (key) => key,
    renderValue: (path) => maskValue(getValue(tree, path), path, secrets),
    origin: () => ({ from: "code", name }),
  };
}

/** Holds one variable or flag that is set: the key, its value, and how it was written. */
export interface Assignment {
  path: Path;
  value: unknown;
  written: string;
  origin: Extract<Origin, { name: string }>;
}

/** Creates the source for variables or flags. Inside the JSON of a model, keys are in `snake_case`. */
export function createAssignedSource(assignments: readonly Assignment[], secrets: readonly string[]): Source {
  const tree = {};
  for (const { path, value } of assignments) setValue(tree, path, value);
  const find = (path: Path) =>
    assignments.find((each) => each.path.every((step, index) => step === path[index])) ??
    assignments.find((each) => path.every((step, index) => step === each.path[index]));
  return {
    tree,
    describePlace: (path) => {
      const assignment = find(path);
      const rest = path
        .slice(assignment?.path.length)
        .map((step) => (typeof step === "string" ? toSnakeCase(step) : step));
      return [assignment?.origin.name ?? "", renderPath(rest)].filter((part) => part !== "").join(": ");
    },
    toKey: toSnakeCase,
    renderValue: (path) => {
      const assignment = find(path);
      if (assignment === undefined || path.length > assignment.path.length) {
        return maskValue(getValue(tree, path), path, secrets);
      }
      return maskValue(assignment.written, path, secrets).replace(/^"|"$/g, "");
    },
    origin: (path) => find(path)?.origin ?? { from: "default" },
  };
}

function setValue(tree: Record<string, unknown>, path: Path, value: unknown): void {
  const [step, ...rest] = path;
  if (step === undefined) return;
  if (rest.length === 0) {
    tree[step] = value;
    return;
  }
  const below = tree[step];
  const child: Record<string, unknown> = isRecord(below) ? below : {};
  tree[step] = child;
  setValue(child, rest, value);
}

/** Converts `maxTokens` to `max_tokens`. */
export function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/**
 * Merges the trees, where a later one wins over an earlier. Objects are merged key by key, and everything else is replaced. A
 * model is replaced as a whole, because halves of two models would not fit together.
 */
export function mergeTrees(trees: readonly unknown[]): unknown {
  return trees.reduce((below, above) => mergeOver(below, above, []), {});
}

function mergeOver(below: unknown, above: unknown, path: Path): unknown {
  if (above === undefined) return below;
  if (!isRecord(below) || !isRecord(above) || isModel(path)) return above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, mergeOver(getValue(below, [key]), getValue(above, [key]), [...path, key])]),
  );
}

function isModel(path: Path): boolean {
  return path.length === 2 && path[0] === "models";
}

/** Returns the origin of each value of `tree`: the last source that has it, else the defaults. Lists count as one value. */
export function findOrigins(tree: unknown, sources: readonly Source[]): Record<string, Origin> {
  const origins = listLeaves(tree).map((path): [string, Origin] => {
    const source = sources.findLast((each) => getValue(each.tree, path) !== undefined);
    return [renderPath(path), source?.origin(path) ?? { from: "default" }];
  });
  return Object.fromEntries(origins);
}

/** Returns the paths of all values except non-empty objects. */
export function listLeaves(tree: unknown, path: Path = []): Path[] {
  if (tree === undefined) return [];
  if (!isRecord(tree) || Object.keys(tree).length === 0) return [path];
  return Object.entries(tree).flatMap(([key, value]) => listLeaves(value, [...path, key]));
}

/** Returns the paths of `listLeaves`, with those of each fallback of a model in place of the one of their list. */
export function listInnerLeaves(tree: unknown): Path[] {
  return listLeaves(tree).flatMap((path) => {
    const value = getValue(tree, path);
    const isList = path[0] === "models" && path.at(-1) === "fallbacks" && Array.isArray(value);
    return isList ? value.flatMap((one: unknown, index) => listLeaves(one, [...path, index])) : [path];
  });
}
