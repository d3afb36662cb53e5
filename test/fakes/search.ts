import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isRecord } from "../../src/core/json.ts";

export interface FakeResult {
  title: string;
  url: string;
  content: string;
}

/** How the server behaves instead of answering with results. */
export type SearchFault =
  | "formats" // SearXNG without json in search.formats: 403 and HTML
  | "unresponsive" // SearXNG whose engines all failed
  | "rate" // 429 with retry-after, in the words of the side that was asked
  | "plan" // Tavily's 432
  | "unauthorized"
  | "broken" // 500
  | "hang" // never answers
  | "stall" // headers and half a body, then silence
  | "huge" // more than 2 MB
  | "html" // 200 with a page
  | "redirect"
  | "gzip"; // compressed although nobody asked

export interface SearchRequestRecord {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  query: string;
  /** Tavily's JSON body. */
  body: unknown;
  /** Set when the client went away before it had the whole answer. */
  aborted: boolean;
}

export interface FakeSearch {
  url: string;
  journal: SearchRequestRecord[];
  /** From the next request on; undefined answers again. */
  fault: SearchFault | undefined;
  /** Answers wait until so many requests wait with them; 1. */
  together: number;
  close(): Promise<void>;
}

/**
 * A search server on a free port of 127.0.0.1 that speaks SearXNG (`GET /search?format=json`) and Tavily (`POST /search`). What it
 * finds is looked up by the query; `*` answers every other one, and without it they find nothing.
 */
export async function startFakeSearch(script: Record<string, FakeResult[]> = {}): Promise<FakeSearch> {
  const journal: SearchRequestRecord[] = [];
  let waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const record = await readRequest(request);
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
    if (fake.fault !== undefined) {
      fail(fake.fault, record, response);
      return;
    }
    const results = script[record.query] ?? script["*"] ?? [];
    sendJson(
      response,
      200,
      record.method === "POST" ? tavilyAnswer(record.query, results) : searxngAnswer(record.query, results),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeSearch = {
    url: `http://127.0.0.1:${port}`,
    journal,
    fault: undefined,
    together: 1,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

async function readRequest(request: IncomingMessage): Promise<SearchRequestRecord> {
  const { method = "", url = "/", headers } = request;
  const { pathname, searchParams } = new URL(url, "http://fake");
  const sent = await text(request);
  const body: unknown = sent === "" ? undefined : JSON.parse(sent);
  const query = isRecord(body) ? String(body.query) : (searchParams.get("q") ?? "");
  return { method, path: pathname, headers, query, body, aborted: false };
}

function tavilyAnswer(query: string, results: FakeResult[]): unknown {
  const found = results.map((result) => ({ ...result, score: 0.9, raw_content: null }));
  return {
    query,
    answer: null,
    follow_up_questions: null,
    images: [],
    results: found,
    response_time: 0.1,
    request_id: "fake",
  };
}

function searxngAnswer(query: string, results: FakeResult[], unresponsive: string[][] = []): unknown {
  const found = results.map((result) => ({
    ...result,
    engine: "fake",
    engines: ["fake"],
    score: 1,
    category: "general",
  }));
  const rest = { answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: unresponsive };
  return { query, results: found, ...rest };
}

function fail(fault: SearchFault, record: SearchRequestRecord, response: ServerResponse): void {
  const isTavily = record.method === "POST";
  switch (fault) {
    case "formats":
      sendHtml(response, 403, "<h1>Forbidden</h1>");
      break;
    case "unresponsive":
      sendJson(
        response,
        200,
        searxngAnswer(
          record.query,
          [],
          [
            ["brave", "Suspended: too many requests"],
            ["google", "timeout"],
          ],
        ),
      );
      break;
    case "rate":
      response.setHeader("retry-after", "7");
      if (!isTavily) {
        sendHtml(response, 429, "Too Many Requests");
        break;
      }
      sendJson(response, 429, {
        error: {
          code: "daily_cap",
          message: "Keyless daily limit reached.",
          window: "day",
          retry_after_seconds: 3600,
          next_actions: [],
        },
      });
      break;
    case "plan":
      sendJson(response, 432, { detail: { error: "This request exceeds your plan's set usage limit." } });
      break;
    case "unauthorized":
      sendJson(response, 401, { detail: { error: "Unauthorized: missing or invalid API key." } });
      break;
    case "broken":
      sendHtml(response, 500, "<h1>Internal Server Error</h1>");
      break;
    case "hang":
      break;
    case "stall":
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"results": [');
      break;
    case "huge":
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"results": [], "filler": "${"x".repeat(3_000_000)}"}`);
      break;
    case "html":
      sendHtml(response, 200, "<html><body>Please log in</body></html>");
      break;
    case "redirect":
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end("moved");
      break;
    case "gzip":
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end("not really");
      break;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendHtml(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "text/html" }).end(body);
}
