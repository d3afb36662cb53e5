// All routes of `serve --http` as the tests of faults go through them, with what each one takes.

import { onTestFinished } from "vitest";
import { createStoreMonitor } from "../../src/app/conversations/store-monitor.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { openRunService } from "../../src/runs/run-service.ts";
import { createClosedSignInPages } from "../../src/server/http/auth/sign-in/open-sign-in.ts";
import { createHealthPages } from "../../src/server/http/health.ts";
import { createChatPages, joinRoutes } from "../../src/server/http/serve-duet.ts";
import { openOperations } from "../../src/server/operations/operations.ts";
import { call, initialize, post, rawText } from "../fakes/http-interface.ts";

export interface TestedRoute {
  /** With names in place of `:id`. */
  path: string;
  methods: readonly ("GET" | "POST" | "PATCH" | "DELETE")[];
  /** Anybody may load it, signed in or not. */
  isOpen?: true;
  /** What a POST is served for. */
  body?: object;
}

const messages = [{ role: "user", content: "Say it." }];

/** By the path as the server names it. */
export const routes: Readonly<Record<string, TestedRoute>> = {
  "/": { path: "/", methods: ["GET"], isOpen: true },
  "/manifest.webmanifest": { path: "/manifest.webmanifest", methods: ["GET"], isOpen: true },
  "/page/code.js": { path: "/page/code.js", methods: ["GET"], isOpen: true },
  "/page/math.js": { path: "/page/math.js", methods: ["GET"], isOpen: true },
  "/page/operator.js": { path: "/page/operator.js", methods: ["GET"], isOpen: true },
  "/page/plot.js": { path: "/page/plot.js", methods: ["GET"], isOpen: true },
  "/page/review.js": { path: "/page/review.js", methods: ["GET"], isOpen: true },
  "/signin": { path: "/signin", methods: ["GET"], isOpen: true },
  "/signin/session": { path: "/signin/session", methods: ["GET"], isOpen: true },
  "/healthz": { path: "/healthz", methods: ["GET"], isOpen: true },
  "/readyz": { path: "/readyz", methods: ["GET"], isOpen: true },
  "/metrics": { path: "/metrics", methods: ["GET"] },
  "/openapi.json": { path: "/openapi.json", methods: ["GET"] },
  "/mcp": { path: "/mcp", methods: ["GET", "POST", "DELETE"], body: initialize },
  "/agent/chat": { path: "/agent/chat", methods: ["POST"], body: { message: "Say it." } },
  "/agent/runs": { path: "/agent/runs", methods: ["GET"] },
  "/agent/runs/:id": { path: "/agent/runs/run-0", methods: ["GET", "DELETE"] },
  "/agent/runs/:id/trace": { path: "/agent/runs/run-0/trace", methods: ["GET"] },
  "/agent/runs/:id/reply": {
    path: "/agent/runs/run-0/reply",
    methods: ["POST"],
    body: { question_id: "0", answer: "once" },
  },
  "/agent/runs/:id/messages": {
    path: "/agent/runs/run-0/messages",
    methods: ["POST"],
    body: { message: "and in French" },
  },
  "/agent/conversations": { path: "/agent/conversations", methods: ["GET"] },
  "/agent/conversations/:id": {
    path: "/agent/conversations/conv-0",
    methods: ["GET", "PATCH", "DELETE"],
    body: { pinned: true },
  },
  "/agent/conversations/:id/restore": { path: "/agent/conversations/conv-0/restore", methods: ["POST"], body: {} },
  "/agent/conversations/:id/export": { path: "/agent/conversations/conv-0/export", methods: ["GET"] },
  "/agent/conversations/:id/files/:file": { path: "/agent/conversations/conv-0/files/0", methods: ["GET"] },
  "/agent/conversations/:id/queue": {
    path: "/agent/conversations/conv-0/queue",
    methods: ["GET", "POST"],
    body: { message: "Say it." },
  },
  "/agent/conversations/:id/queue/:question": { path: "/agent/conversations/conv-0/queue/0", methods: ["DELETE"] },
  "/agent/runs/:id/feedback": { path: "/agent/runs/run-0/feedback", methods: ["POST"], body: { rating: "up" } },
  "/agent/runs/:id/steps/:step": { path: "/agent/runs/run-0/steps/1", methods: ["GET"] },
  "/agent/images": { path: "/agent/images", methods: ["POST"], body: { url: "http://127.0.0.1:9/a.png" } },
  "/agent/events": { path: "/agent/events", methods: ["GET"] },
  "/operator/settings": { path: "/operator/settings", methods: ["GET", "PATCH"], body: {} },
  "/operator/tools": { path: "/operator/tools", methods: ["GET", "PATCH"], body: {} },
  "/operator/approvals": { path: "/operator/approvals", methods: ["GET", "POST"], body: { ids: ["0"] } },
  "/operator/prompts": { path: "/operator/prompts", methods: ["GET", "PATCH"], body: {} },
  "/operator/agents": { path: "/operator/agents", methods: ["GET"] },
  "/operator/servers/:name/log": { path: "/operator/servers/0/log", methods: ["GET"] },
  "/operator/servers/:name/restart": { path: "/operator/servers/0/restart", methods: ["POST"], body: {} },
  "/operator/servers/:name/sign-in": { path: "/operator/servers/0/sign-in", methods: ["POST", "DELETE"], body: {} },
  "/operator/servers": { path: "/operator/servers", methods: ["GET"] },
  "/operator/runs": { path: "/operator/runs", methods: ["GET"] },
  "/operator/runs/:id/spans": { path: "/operator/runs/run-0/spans", methods: ["GET"] },
  "/operator/usage": { path: "/operator/usage", methods: ["GET"] },
  "/operator/problems": { path: "/operator/problems", methods: ["GET"] },
  "/agent/usage": { path: "/agent/usage", methods: ["GET"] },
  "/agent/settings": { path: "/agent/settings", methods: ["GET"] },
  "/v1/chat/completions": {
    path: "/v1/chat/completions",
    methods: ["POST"],
    body: { model: "duet-agent", messages },
  },
  "/v1/responses": {
    path: "/v1/responses",
    methods: ["POST"],
    body: { model: "duet-agent", input: "Say it." },
  },
  "/v1/responses/:id": { path: "/v1/responses/resp_0", methods: ["GET", "DELETE"] },
  "/v1/responses/:id/cancel": { path: "/v1/responses/resp_0/cancel", methods: ["POST"], body: {} },
  "/v1/responses/:id/input_items": { path: "/v1/responses/resp_0/input_items", methods: ["GET"] },
  "/v1/messages": {
    path: "/v1/messages",
    methods: ["POST"],
    body: { model: "duet-agent", max_tokens: 100, messages },
  },
  "/v1/messages/count_tokens": {
    path: "/v1/messages/count_tokens",
    methods: ["POST"],
    body: { model: "duet-agent", messages },
  },
  "/v1/models": { path: "/v1/models", methods: ["GET"] },
  "/v1/models/:id": { path: "/v1/models/duet-agent", methods: ["GET"] },
};

const all = Object.values(routes);

/** Those that take a POST. */
export const postRoutes = all.filter(({ methods }) => methods.includes("POST"));

/** Those of them that read what they are sent, whatever it is; the others first look for what it is about. */
export const readingRoutes = postRoutes.filter(
  ({ path }) => !/\/(reply|run-0\/messages|cancel|restore|restart)$/.test(path),
);

/** Those that one has to sign in for. */
export const guardedRoutes = all.filter(({ isOpen }) => isOpen === undefined);

/** What is not there, beside what is. */
const nowhere = ["/nothing", "/agent/nothing", "/v1"];

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Every route, and some that are none, by every method, served or not. */
export function everyRequest(port: number, headers: Record<string, string> = {}): string[] {
  const paths = [...all, ...nowhere.map((path) => ({ path, body: call(1, "x") }))];
  return paths.flatMap((route) => methods.map((method) => toRequest(port, method, route, headers)));
}

/** Every route by each of its own methods. */
export function servedRequests(port: number, headers: Record<string, string> = {}): string[] {
  return all.flatMap((route) => route.methods.map((method) => toRequest(port, method, route, headers)));
}

function toRequest(
  port: number,
  method: string,
  { path, body = {} }: Pick<TestedRoute, "path" | "body">,
  headers: Record<string, string>,
): string {
  const isBare = ["GET", "HEAD", "DELETE", "OPTIONS"].includes(method);
  if (isBare) return rawText(method, path, port, { accept: "application/json, text/event-stream", ...headers });
  return post(port, body, headers, path).replace(/^POST/, method);
}

const health = {
  readiness: async () => ({ isReady: true, details: {} }),
  authenticate: async () => ({ caller: {} }),
  signal: new AbortController().signal,
};

/** What the server serves, by path. */
export async function openRoutes() {
  const serve = { http: { operator: "local" } };
  const settings = { conversations: { store: "memory" }, locale: "en", serve };
  const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings });
  const duet = await openDuet(config);
  onTestFinished(() => duet.close());
  const service = openRunService(duet, { settings: config.serve });
  const operations = openOperations({ metrics: duet.metrics, readStore: () => createStoreMonitor().status });
  return {
    open: { ...createHealthPages(health), ...createChatPages(), ...createClosedSignInPages("en") },
    routes: joinRoutes(service, config, operations, () => {}),
  };
}
