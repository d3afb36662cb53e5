import { isRecord } from "../../kit/json.ts";
import { maskValue } from "../secrets/mask.ts";
import { getValue, type Path, renderPath } from "./setting-path.ts";

/** Where a value came from: a file by its path, a variable or a flag by its name. */
export type Origin =
  | { from: "default" }
  | { from: "file"; name: string }
  /** `file` is the `.env` file that set it. */
  | { from: "environment"; name: string; file?: string }
  | { from: "flag"; name: string }
  /** The program that embeds Duet. */
  | { from: "code"; name: string };

/** One place where settings are written, in the shape of the configuration file. */
export interface Source {
  tree: unknown;
  /** Names the place of a key, for an error. */
  where(path: Path): string;
  /** A key as this source spells it. */
  word(key: string): string;
  /** The value as it was written, fit to be printed. */
  shown(path: Path): string;
  origin(path: Path): Origin;
}

/** The configuration file: `tree` has its variables expanded; `written`, as the file has it, is what errors show. */
export function createFileSource(
  file: string,
  shownAs: string,
  tree: unknown,
  written: unknown,
  secrets: readonly string[],
): Source {
  return {
    tree,
    where: (path) => (path.length === 0 ? shownAs : `${shownAs}: ${renderPath(path)}`),
    word: (key) => key,
    shown: (path) => maskValue(getValue(written, path), path, secrets),
    origin: () => ({ from: "file", name: file }),
  };
}

/** What a program that embeds Duet has set; `name` is how errors call it. */
export function createCodeSource(name: string, tree: unknown, secrets: readonly string[]): Source {
  return {
    tree,
    where: (path) => [name, renderPath(path)].filter((part) => part !== "").join(": "),
    word: (key) => key,
    shown: (path) => maskValue(getValue(tree, path), path, secrets),
    origin: () => ({ from: "code", name }),
  };
}

/** One variable or flag that is set: which key it gives which value, and how it was written. */
export interface Assignment {
  path: Path;
  value: unknown;
  written: string;
  origin: Extract<Origin, { name: string }>;
}

/** What variables or flags say; inside the JSON of a model, keys are in `snake_case`. */
export function createAssignedSource(assignments: readonly Assignment[], secrets: readonly string[]): Source {
  const tree = {};
  for (const { path, value } of assignments) assign(tree, path, value);
  const find = (path: Path) =>
    assignments.find((each) => each.path.every((step, index) => step === path[index])) ??
    assignments.find((each) => path.every((step, index) => step === each.path[index]));
  return {
    tree,
    where: (path) => {
      const assignment = find(path);
      const rest = path
        .slice(assignment?.path.length)
        .map((step) => (typeof step === "string" ? toSnakeCase(step) : step));
      return [assignment?.origin.name ?? "", renderPath(rest)].filter((part) => part !== "").join(": ");
    },
    word: toSnakeCase,
    shown: (path) => {
      const assignment = find(path);
      if (assignment === undefined || path.length > assignment.path.length) {
        return maskValue(getValue(tree, path), path, secrets);
      }
      return maskValue(assignment.written, path, secrets).replace(/^"|"$/g, "");
    },
    origin: (path) => find(path)?.origin ?? { from: "default" },
  };
}

function assign(tree: Record<string, unknown>, path: Path, value: unknown): void {
  const [step, ...rest] = path;
  if (step === undefined) return;
  if (rest.length === 0) {
    tree[step] = value;
    return;
  }
  const below = tree[step];
  const child: Record<string, unknown> = isRecord(below) ? below : {};
  tree[step] = child;
  assign(child, rest, value);
}

/** `maxTokens` as `max_tokens`. */
export function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

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
