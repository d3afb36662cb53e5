import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  type BackendSettings,
  listSearchBackends,
  mapSearchBackends,
  type SearchBackendName,
} from "../../src/tools/search/search-backends.ts";
import type { SearchOptions } from "../../src/tools/search/web-search.ts";
import {
  type FakeAnswer,
  type FakeResult,
  fakeServices,
  type ServiceName,
  searxngAnswer,
  serviceNames,
} from "./search-services.ts";

export type { FakeResult, ServiceName };

/** How a service behaves instead of answering with results. */
export type SearchFault =
  | "unauthorized" // these three in the words and the status of the service that was asked
  | "plan"
  | "rate"
  | "formats" // SearXNG without json in search.formats: 403 and HTML
  | "unresponsive" // SearXNG whose engines all failed
  | "broken" // 500
  | "forbidden" // 403 with the page of a firewall
  | "hang" // never answers
  | "stall" // headers and half a body, then silence
  | "linger" // the whole answer, on a connection that stays open
  | "huge" // more than 2 MB
  | "html" // 200 with a page
  | "redirect"
  | "gzip"; // compressed although nobody asked

export interface SearchRequestRecord {
  /** Who was asked; undefined where there is no such service. */
  service: ServiceName | undefined;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Empty when the service refused the request. */
  query: string;
  /** The JSON or the form that was sent. */
  body: unknown;
  /** Set when the client went away before it had the whole answer. */
  aborted: boolean;
}

export interface FakeSearch {
  /** Of Tavily (`POST /search`) and SearXNG (`GET /search`); the others are below it. */
  url: string;
  journal: SearchRequestRecord[];
  /** Of every service, from the next request on; undefined answers again. */
  fault: SearchFault | undefined;
  /** Of single ones. */
  faults: Partial<Record<ServiceName, SearchFault>>;
  /** Answers wait until so many requests wait with them; 1. */
  together: number;
  /** Settings under which every service is this one. */
  options(over?: Partial<SearchOptions>): SearchOptions;
  /** The same as environment variables. */
  environment: Record<string, string>;
  /** Who was asked, in order. */
  asked(): (ServiceName | undefined)[];
  close(): Promise<void>;
}

/**
 * Every search service on one free port of 127.0.0.1, each under its path. What they find is looked up by the query; `*`
 * answers every other one, and without it they find nothing.
 */
export async function startFakeSearch(script: Record<string, FakeResult[]> = {}): Promise<FakeSearch> {
  const journal: SearchRequestRecord[] = [];
  let waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const { record, answer } = await readRequest(request, script);
    journal.push(record);
    await new Promise<void>((go) => {
      waiting.push(go);
      if (waiting.length < fake.together) return;
      for (const release of waiting) release();
      waiting = [];
    });
    response.on("close", () => {
      record.aborted = !response.writableFinished;
    });
    const fault = (record.service && fake.faults[record.service]) ?? fake.fault;
    if (fault === undefined) give(response, answer);
    else fail(fault, record, answer, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const fake: FakeSearch = {
    ...{ url, journal, fault: undefined, faults: {}, together: 1 },
    options: (over) => searchOptionsAt(url, over),
    environment: environmentAt(url),
    asked: () => journal.map(({ service }) => service),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

/** Settings under which every service is the server at `url`. */
export function searchOptionsAt(url: string, over: Partial<SearchOptions> = {}): SearchOptions {
  const backends = mapSearchBackends((row, name): BackendSettings | undefined => {
    if (row.access === "own-server") return undefined;
    const mcpUrl = "keylessMcp" in row ? `${url}/${name}/mcp` : undefined;
    return { baseUrl: url + pathOf(name), mcpUrl };
  });
  return { backend: "auto", maxResults: 5, snippetLength: 200, keyless: true, ...backends, ...over };
}

function environmentAt(url: string): Record<string, string> {
  const variables = listSearchBackends().flatMap(([name, row]) => {
    if (row.access === "own-server") return [];
    const mcp = "keylessMcp" in row && row.keylessMcp ? [[row.keylessMcp.env, `${url}/${name}/mcp`]] : [];
    return [[row.baseUrlEnv, url + pathOf(name)], ...mcp];
  });
  return Object.fromEntries(variables);
}

function pathOf(name: SearchBackendName): string {
  return name === "tavily" ? "" : `/${name}`;
}

async function readRequest(request: IncomingMessage, script: Record<string, FakeResult[]>) {
  const { method = "", headers } = request;
  const { pathname: path, searchParams: search } = new URL(request.url ?? "/", "http://fake");
  const body = bodyOf(await text(request), headers);
  const name = serviceNames.find((each) => fakeServices[each].path === path && fakeServices[each].method === method);
  const service = name && fakeServices[name];
  const accepted = service?.accept({ headers, search, body }) ?? notFound;
  const query = typeof accepted === "string" ? accepted : "";
  const results = script[query] ?? script["*"] ?? [];
  const record: SearchRequestRecord = { service: name, method, path, headers, query, body, aborted: false };
  const answer = typeof accepted === "string" ? (service?.found(query, results) ?? notFound) : accepted;
  return { record, answer };
}

const notFound: FakeAnswer = { status: 404, body: "<h1>Not Found</h1>" };

function bodyOf(sent: string, headers: IncomingHttpHeaders): unknown {
  if (sent === "") return undefined;
  const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
  return isForm ? Object.fromEntries(new URLSearchParams(sent)) : JSON.parse(sent);
}

function fail(fault: SearchFault, record: SearchRequestRecord, answer: FakeAnswer, response: ServerResponse): void {
  const instead = insteadOf(fault, record);
  if (instead) give(response, instead);
  if (fault === "stall") response.writeHead(200, { "content-type": "application/json" }).write('{"results": [');
  if (fault === "linger") response.writeHead(200, { ...answer.headers }).write(answer.body);
}

/** What is answered in place of results; undefined where the answer has no end. */
function insteadOf(fault: SearchFault, { service = "tavily", query }: SearchRequestRecord): FakeAnswer | undefined {
  const dead = [
    ["brave", "Suspended: too many requests"],
    ["google", "timeout"],
  ];
  switch (fault) {
    case "unauthorized":
    case "plan":
    case "rate":
      return fakeServices[service][fault];
    case "formats":
    case "forbidden":
      return { status: 403, body: "<h1>Forbidden</h1>" };
    case "unresponsive":
      return { status: 200, body: searxngAnswer(query, [], dead) };
    case "broken":
      return { status: 500, body: "<h1>Internal Server Error</h1>" };
    case "huge":
      return { status: 200, body: { results: [], filler: "x".repeat(3_000_000) } };
    case "html":
      return { status: 200, body: "<html><body>Please log in</body></html>" };
    case "redirect":
      return {
        status: 302,
        body: "moved",
        headers: { location: "http://169.254.169.254/latest/meta-data?token=hidden" },
      };
    case "gzip":
      return { status: 200, body: "{}", headers: { "content-encoding": "gzip" } };
    default:
      return undefined;
  }
}

function give(response: ServerResponse, { status, body, headers }: FakeAnswer): void {
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
