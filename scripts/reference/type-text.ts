// Writes a JSON Schema as a type of TypeScript, for types that the source infers from a schema.

export interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

export interface TypeTextOptions {
  /** Names a schema that is a type of its own. */
  readonly findName: (schema: Schema) => string | undefined;
  /** What the source says of a property of the outermost object. */
  readonly findComment: (property: string) => string | undefined;
}

const widest = 110;

/** Writes the type at the outermost level with a line, and its comment, for each property. */
export function toTypeText(schema: Schema, options: TypeTextOptions): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((each) => `\n  | ${write(each, options, "    ")}`).join("");
  if (schema.type === "object" && schema.properties) return writeLines(schema, options, "");
  return write(schema, { ...options, findName: () => undefined }, "");
}

function write(schema: Schema, options: TypeTextOptions, indent: string): string {
  const name = options.findName(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((each) => write(each, options, indent)))].join(" | ");
  if (typeof schema.type === "object")
    return schema.type.map((type) => write({ ...schema, type }, options, indent)).join(" | ");
  if (schema.type === "integer") return "number";
  if (schema.type === "array") return toArray(schema.items ? write(schema.items, options, indent) : "unknown");
  if (schema.type === "object") return writeObject(schema, options, indent);
  return schema.type ?? "unknown";
}

function toArray(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

function writeObject(schema: Schema, options: TypeTextOptions, indent: string): string {
  const { properties = {}, additionalProperties } = schema;
  if (Object.keys(properties).length === 0) {
    const others = typeof additionalProperties === "object" ? write(additionalProperties, options, indent) : "unknown";
    return `Record<string, ${others}>`;
  }
  const inner = { ...options, findComment: () => undefined };
  const fields = listFields(schema, inner, indent).map(({ field }) => field);
  const line = `{ ${fields.join("; ")} }`;
  return line.length + indent.length > widest || line.includes("\n") ? writeLines(schema, inner, indent) : line;
}

function writeLines(schema: Schema, options: TypeTextOptions, indent: string): string {
  const lines = listFields(schema, options, `${indent}  `).flatMap(({ field, comment }) => [
    ...(comment === undefined ? [] : [`${indent}  /** ${comment} */`]),
    `${indent}  ${field};`,
  ]);
  return ["{", ...lines, `${indent}}`].join("\n");
}

function listFields({ properties = {}, required = [] }: Schema, options: TypeTextOptions, indent: string) {
  return Object.entries(properties).map(([name, property]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    const type = write(property, { ...options, findComment: () => undefined }, indent);
    return {
      field: `${key}${required.includes(name) ? "" : "?"}: ${type}`,
      comment: options.findComment(name) ?? property.description,
    };
  });
}
