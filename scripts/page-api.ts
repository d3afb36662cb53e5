import { describeApi } from "../src/server/api/openapi/document.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Is the file of the page that has the types of its requests. */
export const pageApiFile = "src/server/web/chat/api/agent-requests.ts";

/** Writes the requests of the agent API and of the operator as types, from the OpenAPI document, so that the page cannot ask for what there is not. */
export function writePageApi(): string {
  // The document is JSON, which is read here by the shape that OpenAPI gives it.
  const document: Document = JSON.parse(JSON.stringify(describeApi("http://localhost")));
  const rows = Object.entries(document.paths)
    .filter(([path]) => /^\/(?:agent|operator)\//.test(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => {
        const { parameters = [], requestBody } = operation;
        const body = requestBody?.content["application/json"]?.schema;
        const parts = [
          toField("path", toParameters(parameters, "path", document), true),
          toField("query", toParameters(parameters, "query", document), false),
          toField("body", body && toType(body, document), true),
        ];
        return `  "${method.toUpperCase()} ${path}": { ${parts.join(" ")} };`;
      }),
    );
  return [
    "// Written by `npm run docs` from the OpenAPI document of the server. It is not edited by hand.",
    "// biome-ignore-all format: it is laid out by what writes it",
    "",
    "/** Lists the requests that the page makes, with what each one takes. */",
    "export interface AgentRequests {",
    ...rows,
    "}",
    "",
  ].join("\n");
}

function toField(name: string, type: string | undefined, isRequired: boolean): string {
  return type === undefined ? `readonly ${name}?: undefined;` : `readonly ${name}${isRequired ? "" : "?"}: ${type};`;
}

function toParameters(parameters: readonly Parameter[], place: string, document: Document): string | undefined {
  const own = parameters.filter((each) => each.in === place);
  if (own.length === 0) return undefined;
  const fields = own.map(({ name, required = false, schema }) => {
    return `readonly ${toKey(name)}${required ? "" : "?"}: ${toType(schema, document)}${required ? "" : " | undefined"};`;
  });
  return `{ ${fields.join(" ")} }`;
}

function toKey(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
}

function toType(schema: Schema, document: Document): string {
  if (schema.$ref !== undefined) {
    const known = document.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
    return known === undefined ? "unknown" : toType(known, document);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((each) => toType(each, document)).join(" | ");
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "array":
      return `readonly (${schema.items === undefined ? "unknown" : toType(schema.items, document)})[]`;
    case "object":
      return toObject(schema, document);
    default:
      return "unknown";
  }
}

function toObject({ properties = {}, required = [], additionalProperties }: Schema, document: Document): string {
  const fields = Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name);
    return `readonly ${toKey(name)}${isRequired ? "" : "?"}: ${toType(property, document)}${isRequired ? "" : " | undefined"};`;
  });
  if (fields.length > 0) return `{ ${fields.join(" ")} }`;
  const others = typeof additionalProperties === "object" ? toType(additionalProperties, document) : "unknown";
  return `Readonly<Record<string, ${others}>>`;
}
