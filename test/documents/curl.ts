// The requests that the documents make with curl.
import { isRecord } from "../../src/kit/json.ts";
import { describeApi } from "../../src/server/api/openapi/document.ts";

export interface Request {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Reads a command line of curl. Throws for a flag that is not known here. */
export function readCurl([, ...words]: readonly string[]): Request {
  let method: string | undefined;
  let path = "";
  let body: string | undefined;
  const headers: Record<string, string> = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const next = words[index + 1] ?? "";
    if (/^-[sN]+$/.test(word)) continue;
    if (!word.startsWith("-")) {
      const url = new URL(word.includes("://") ? word : `http://${word}`);
      path = `${url.pathname}${url.search}`;
      continue;
    }
    index += 1;
    if (word === "-X") method = next;
    else if (word === "-d") body = next;
    else if (word === "-H") {
      const [name = "", ...value] = next.split(": ");
      headers[name.toLowerCase()] = value.join(": ");
    } else throw new Error(`curl ${word} is not known to the tests of the documents (allowed: -s, -N, -X, -d, -H)`);
  }
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    path,
    headers,
    ...(body !== undefined && { body }),
  };
}

type Validate = (schema: object, value: unknown) => string | undefined;

/** Says what is wrong with a request by the OpenAPI document; undefined where nothing is. */
export function findRequestProblem({ method, path, body }: Request, validate: Validate): string | undefined {
  const { paths } = describeApi("http://localhost");
  const [asked = ""] = path.split("?");
  const found = Object.entries(paths).find(([template]) => toPathPattern(template).test(asked));
  if (found === undefined) return `there is no path ${asked}`;
  const [template, operations] = found;
  const name = method.toLowerCase();
  const operation: unknown = new Map<string, unknown>(Object.entries(operations)).get(name);
  if (!isRecord(operation)) return `${asked} has no ${method}`;
  if (body === undefined) return undefined;
  const pointer = [template, name, "requestBody", "content", "application/json", "schema"];
  if (!isRecord(operation.requestBody)) return `${method} ${asked} takes no body`;
  const escaped = pointer.map((each) => encodeURIComponent(each.replaceAll("~", "~0").replaceAll("/", "~1")));
  return validate({ $ref: `api#/paths/${escaped.join("/")}` }, JSON.parse(body));
}

function toPathPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}
