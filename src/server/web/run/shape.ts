import { isRecord } from "../../../kit/json.ts";

/**
 * Describes the part of a JSON value that the page relies on, much as TypeScript does. It is plain data, and short, so that the
 * build can write it into the page.
 */
export type Shape =
  /** Is `string`, `number` or `boolean`, or the allowed words with `|` between them. */
  | string
  /** Describes each entry of a list. */
  | readonly [Shape]
  /** Describes the fields of an object. A name that ends in `?` may be missing or null. Other fields are ignored. */
  | { readonly [name: string]: Shape };

export function hasShape(shape: Shape, value: unknown): boolean {
  if (typeof shape === "string")
    return shape.includes("|") ? shape.split("|").some((word) => word === value) : typeof value === shape;
  if (isList(shape)) return Array.isArray(value) && value.every((entry) => hasShape(shape[0], entry));
  return (
    isRecord(value) &&
    Object.entries(shape).every(([name, field]) => {
      const entry = value[name.replace("?", "")];
      return (name.endsWith("?") && (entry === undefined || entry === null)) || hasShape(field, entry);
    })
  );
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
