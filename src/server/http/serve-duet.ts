import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Duet } from "../../app/duet.ts";
import type { Config } from "../../config/config.ts";
import { DuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { openRunService, type RunService } from "../../runs/run-service.ts";
import { createMessageRoutes } from "../anthropic/message-routes.ts";
import { createApi } from "../api/api.ts";
import { reportUnapproved } from "../mcp/announce-changes.ts";
import { createMcpInterface, type McpInterfaceOptions } from "../mcp/mcp-interface.ts";
import { createOpenAiRoutes } from "../openai/openai-routes.ts";
import { finishRuns } from "../operations/finish-runs.ts";
import type { Log } from "../operations/log.ts";
import { type Operations, openOperations } from "../operations/operations.ts";
import { reportStore } from "../operations/report-store.ts";
import { describeLost, resumeInterrupted } from "../operations/resume-interrupted.ts";
import { createOperatorRoutes } from "../operator/operator-routes.ts";
import { createResponsesRoutes } from "../responses/responses-routes.ts";
import { parseListenAddress } from "./address.ts";
import type { AuthSettings } from "./auth/auth-settings.ts";
import { type Auth, type OpenPages, openAuth } from "./auth/open-auth.ts";
import { createClosedSignInPages, openSignIn } from "./auth/sign-in/open-sign-in.ts";
import { findReadiness } from "./health.ts";
import { type ContentEncoding, chooseEncoding, createTag } from "./response/encode-response.ts";
import type { Route } from "./routes.ts";
import { serveOverHttp } from "./serve-http.ts";

export interface DuetHttpOptions extends Omit<McpInterfaceOptions, "settings" | "asks" | "service"> {
  duet: Duet;
  config: Config;
  /** Has the form `[HOST:]PORT`. */
  address: string;
  log: Log;
  signal: AbortSignal;
  /** Aborts when what goes on then is no longer to be waited for. */
  hurry?: AbortSignal | undefined;
}

/**
 * Serves the agent over HTTP until the signal aborts: MCP, the agent API, OpenAI's wire and the page, which share one set of
 * runs. Throws a `config` error for an address that is none.
 */
export async function serveDuetOverHttp({ duet, config, address, log, signal, hurry, ...options }: DuetHttpOptions) {
  const { locale } = duet;
  const { auth, grace } = config.serve.http;
  const operations = openOperations({
    metrics: duet.metrics,
    readStore: () => duet.storeHealth.status,
    openUsage: () => duet.usageHistory(),
  });
  const service = openRunService(duet, {
    ...options,
    settings: config.serve,
    onBegin(run) {
      operations.followRun(run);
      options.onBegin?.(run);
    },
    onEnd(run) {
      operations.countEnd(run);
      if (run.isMoved && !service.runs.closing.aborted) log(say(locale, describeLost(run.id)), "warn");
      options.onEnd?.(run);
    },
  });
  /** Callers bring a token, and people sign in where the configuration says how. */
  function openCallers(settings: AuthSettings, resource: string): Auth {
    const callers = openAuth(settings, { resource, locale, log });
    if (settings.signIn === undefined) return callers;
    const { signInSecret: secret, serve } = config;
    const isPublic = serve.http.publicUrl !== undefined;
    const getCredentials = () => duet.credentials();
    const people = openSignIn(settings, { resource, isPublic, secret, credentials: getCredentials, locale, log });
    return { ...callers, ...people, routes: { ...callers.routes, ...people.routes } };
  }

  const mcp = createMcpInterface(duet, { ...options, settings: config.serve, asks: config.tools.ask, service });
  const stopReporting = reportUnapproved({ gateway: duet.gateway(), locale, log });
  const stopReportingStore = reportStore({ storeHealth: duet.storeHealth, locale, log, checkAfterMs: 0 });
  const stopResuming = resumeInterrupted({ storedRuns: duet.storedRuns, service, locale, log, lookAfterMs: 0 });
  try {
    await serveOverHttp({
      ...parseListenAddress(address),
      createServer: mcp.createServer,
      findRecords: duet.findRecords,
      stopRuns: service.followed.stopAbandoned,
      settings: config.serve.http,
      token: config.httpToken,
      credentials: () => duet.credentials(),
      openAuth: auth && ((resource) => openCallers(auth, resource)),
      open: { ...createChatPages(), ...createClosedSignInPages(locale) },
      routes: joinRoutes(service, config, operations, log),
      onChange(caller, listener) {
        const stop = [duet.gateway(caller).onChange(listener), mcp.runs.onChange(caller, () => listener("resources"))];
        return () => {
          for (const each of stop) each();
        };
      },
      followResources: mcp.followResources,
      readiness: () => findReadiness(duet, config),
      onAnswer: operations.countAnswer,
      finish: (inFlight) => finishRuns({ ...service, inFlight, graceMs: grace * 1000, hurry, locale, log }),
      locale,
      log,
      onListening(url) {
        log(url);
        log(say(locale, describePageAddress(config, url)));
      },
      signal,
    });
  } finally {
    stopReporting();
    stopReportingStore();
    stopResuming();
  }
}

/** Joins the routes that are served beside MCP, health and the page. */
export function joinRoutes(
  service: RunService,
  config: Config,
  operations: Pick<Operations, "routes" | "problems">,
  log: Log,
): RoutesByPath {
  return {
    ...createApi(service, config),
    ...createOpenAiRoutes(service),
    ...createResponsesRoutes(service),
    ...createMessageRoutes(service),
    ...createOperatorRoutes(service, operations.problems, config, log),
    ...operations.routes,
  };
}

type RoutesByPath = Readonly<Record<string, Route>>;

/** Describes where a browser finds the page and how it signs in; `url` is the address of `/mcp`. */
export function describePageAddress(
  { serve: { http }, httpToken }: Pick<Config, "serve" | "httpToken">,
  url: string,
): Text {
  const page = http.publicUrl === undefined ? new URL("/", url).href : `${http.publicUrl.replace(/\/+$/, "")}/`;
  if (httpToken !== undefined)
    return {
      zh: `网页：${page}#token=…（… 处填入 DUET_HTTP_TOKEN 的值）`,
      en: `the page: ${page}#token=… (replace … with the value of DUET_HTTP_TOKEN)`,
    };
  if (http.auth?.signIn !== undefined)
    return {
      zh: `网页：${page}（登录：${page}signin）`,
      en: `the page: ${page} (people sign in at ${page}signin)`,
    };
  if (http.auth !== undefined)
    return {
      zh: `网页：${page}#token=…（… 处填入 serve.http.auth 所用的访问令牌）`,
      en: `the page: ${page}#token=… (replace … with an access token of serve.http.auth)`,
    };
  return { zh: `网页：${page}`, en: `the page: ${page}` };
}

interface PageFile {
  readonly plain: Buffer<ArrayBuffer>;
  readonly packed: Readonly<Record<ContentEncoding, Buffer<ArrayBuffer>>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lists the scripts that the page loads when it first needs them: what colours code, writes formulas, draws plots, compares texts, and the operator's view. */
const pageParts = ["code", "math", "operator", "plot", "review"] as const;

/** Serves the page at `/` for browsers, and its parts. They contain no data, so anybody may load them. They are read on the first request. */
export function createChatPages(): OpenPages {
  const parts = pageParts.map((part) => [
    `/page/${part}.js`,
    createFilePage(`page-${part}.js`, () => ({ "content-type": "text/javascript; charset=utf-8" })),
  ]);
  const page = createFilePage("chat-page.html", (html) => ({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": createPolicy(html),
  }));
  return { "/": page, "/manifest.webmanifest": serveManifest, ...Object.fromEntries(parts) };
}

/** Lets a browser install the page as an app of its own. */
function serveManifest(): Response {
  return Response.json(manifest, {
    headers: { "content-type": "application/manifest+json", "cache-control": "no-cache" },
  });
}

const manifestIcon =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 48 48'><rect width='48' height='48' rx='11' fill='#2b59c3'/>" +
  "<g fill='none' stroke='#fff' stroke-width='3.4'><circle cx='19.5' cy='24' r='8.5'/><circle cx='28.5' cy='24' r='8.5'/></g></svg>";

const manifest = {
  name: "Duet",
  short_name: "Duet",
  start_url: "/",
  scope: "/",
  display: "standalone",
  background_color: "#ffffff",
  theme_color: "#2b59c3",
  icons: [
    {
      src: `data:image/svg+xml,${encodeURIComponent(manifestIcon)}`,
      sizes: "any",
      type: "image/svg+xml",
      purpose: "any maskable",
    },
  ],
};

function createFilePage(name: string, describe: (text: string) => Record<string, string>): OpenPages[string] {
  let read: Promise<PageFile> | undefined;
  return async (request) => {
    read ??= readPage(name, describe);
    const file = await read.catch((thrown: unknown) => {
      read = undefined;
      throw thrown;
    });
    const encoding = chooseEncoding(request.headers.get("accept-encoding") ?? "");
    return new Response(encoding ? file.packed[encoding] : file.plain, {
      headers: { ...file.headers, ...(encoding ? { "content-encoding": encoding } : {}) },
    });
  };
}

/** The files are beside the built program. When the program runs from its sources, they are where the build puts them. */
async function readPage(name: string, describe: (text: string) => Record<string, string>): Promise<PageFile> {
  const folder = import.meta.url.endsWith(".ts") ? "../../../dist/" : "./";
  try {
    const read = (file: string) => readFile(new URL(folder + file, import.meta.url));
    const [plain, br, gzip] = await Promise.all([read(name), read(`${name}.br`), read(`${name}.gz`)]);
    const headers = {
      ...describe(plain.toString("utf8")),
      // It has no data, so a browser keeps it and asks whether it is still the same.
      "cache-control": "no-cache",
      etag: createTag(plain),
      vary: "Accept-Encoding",
    };
    return { plain, packed: { br, gzip }, headers };
  } catch (cause) {
    throw new DuetError({
      code: "internal",
      text: { zh: `缺少页面文件 dist/${name}。`, en: `The page's file dist/${name} is missing.` },
      hint: { zh: "请运行 npm run build。", en: "Run npm run build." },
      cause,
    });
  }
}

/**
 * The page may run only its own script and style and its parts, may connect only to this server, and may not turn text into
 * markup. Nothing that a person or a model can put on this server is served as a script.
 */
function createPolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashElement(html, "script")}' 'self'`,
    `style-src '${hashElement(html, "style")}'`,
    "connect-src 'self'",
    "img-src data:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function hashElement(html: string, name: "script" | "style"): string {
  const open = `<${name}>`;
  const start = html.indexOf(open) + open.length;
  const text = html.slice(start, html.indexOf(`</${name}>`, start));
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
