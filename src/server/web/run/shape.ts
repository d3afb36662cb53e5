import { isRecord } from "../../../kit/json.ts";

/** Describes the part of a JSON value that the page relies on. It is plain data, so that the build can write it into the page. */
export type Shape =
  | "string"
  | "number"
  | "boolean"
  /** Accepts these words only. */
  | readonly string[]
  | { readonly each: Shape }
  /** A name that ends in `?` marks a field that may be missing or null. Other fields are ignored. */
  | { readonly fields: Readonly<Record<string, Shape>> };

export function hasShape(shape: Shape, value: unknown): boolean {
  if (typeof shape === "string") return typeof value === shape;
  if ("each" in shape) return Array.isArray(value) && value.every((entry) => hasShape(shape.each, entry));
  if (!("fields" in shape)) return shape.some((word) => word === value);
  return (
    isRecord(value) &&
    Object.entries(shape.fields).every(([name, field]) => {
      const entry = value[name.replace("?", "")];
      return name.endsWith("?")
        ? entry === undefined || entry === null || hasShape(field, entry)
        : hasShape(field, entry);
    })
  );
}
