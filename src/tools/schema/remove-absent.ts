import { isRecord, type JsonObject, type JsonSchema, type JsonValue } from "../../kit/json.ts";
import { resolvePointer } from "../../kit/json-pointer.ts";

/** Limits the levels of an answer that are looked at. */
const deepest = 64;

/**
 * Returns an answer without the nulls that stand for what was left out: vendors that require every field have models write null for
 * an optional one. A null that the schema allows stays.
 */
export function removeAbsent(answer: JsonObject, schema: JsonSchema): JsonObject {
  function visit(value: JsonValue, forms: readonly JsonSchema[], level: number): JsonValue {
    if (level > deepest || forms.length === 0 || typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items = expandAll(
        forms.map((form) => form.items),
        schema,
      );
      return value.map((item) => visit(item, items, level + 1));
    }
    return visitFields(value, forms, level);
  }

  function visitFields(value: JsonObject, forms: readonly JsonSchema[], level: number): JsonObject {
    const kept: JsonObject = {};
    for (const [name, field] of Object.entries(value)) {
      const owners = forms.filter((form) => isRecord(form.properties) && Object.hasOwn(form.properties, name));
      const parts = owners.map(({ properties }) => (isRecord(properties) ? properties[name] : undefined));
      const inner = expandAll(parts, schema);
      const isAbsent = field === null && inner.length > 0 && !inner.some(canBeNull) && !isRequired(name, owners);
      if (!isAbsent) kept[name] = visit(field, inner, level + 1);
    }
    return kept;
  }

  return visitFields(answer, expandAll([schema], schema), 0);
}

function isRequired(name: string, owners: readonly JsonSchema[]): boolean {
  return owners.some(({ required }) => Array.isArray(required) && required.includes(name));
}

function canBeNull({ type, enum: values, const: only }: JsonSchema): boolean {
  if (only !== undefined) return only === null;
  if (Array.isArray(values)) return values.includes(null);
  return type === undefined || [type].flat().includes("null");
}

/** Returns the forms that a value may have: what references lead to, and the branches of unions, with what all of them share. */
function expandAll(parts: readonly unknown[], root: JsonSchema): JsonSchema[] {
  const found: JsonSchema[] = [];
  const seen = new Set<unknown>();
  const expand = (part: unknown): void => {
    if (!isRecord(part) || seen.has(part)) return;
    seen.add(part);
    const branches = [part.anyOf, part.oneOf, part.allOf].flatMap((list): unknown[] =>
      Array.isArray(list) ? list : [],
    );
    const target = resolvePointer(root, part.$ref);
    // A union without a type of its own says nothing by itself.
    if (branches.length === 0 && target === undefined) found.push(part);
    else if (isRecord(part.properties)) found.push({ ...part, type: part.type ?? "object" });
    for (const branch of branches) expand(branch);
    expand(target);
  };
  for (const part of parts) expand(part);
  return found;
}
