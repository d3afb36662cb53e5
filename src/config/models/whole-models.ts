import { isRecord } from "../../kit/json.ts";
import { readModelName } from "./resolve-model.ts";

/** Returns the tree of a file in which each model is an object: `"provider/model"` says the same in short. */
export function toWholeModels(tree: unknown): unknown {
  if (!isRecord(tree) || !isRecord(tree.models)) return tree;
  const models = Object.entries(tree.models).map(([role, model]) => [role, toWholeModel(model)]);
  return { ...tree, models: Object.fromEntries(models) };
}

function toWholeModel(model: unknown): unknown {
  return typeof model === "string" ? (readModelName(model) ?? model) : model;
}
