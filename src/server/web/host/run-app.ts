import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { version } from "../../../kit/version.ts";
import { createPanel } from "../panel.ts";
import { createPageRunState, type RunChange, reducePageRun } from "../run/page-run-state.ts";
import { toView } from "../run/to-view.ts";
import { texts } from "../texts.ts";
import { createFollower, createToolCaller, type Messages, readResult } from "./follow.ts";

function readCall(args: unknown) {
  const { question, confirmation } = isRecord(args) ? args : {};
  return { question: toText(question), confirmation: toText(confirmation) || undefined };
}

const requestTimeoutMs = 30_000;

/** Starts the page in a host (MCP Apps, revision 2026-01-26). It shows the run of the tool call that it was opened for. */
export async function startRunApp(window: Window & typeof globalThis): Promise<void> {
  const { document, navigator } = window;
  let context: Record<string, unknown> = {};
  let canOpenLinks = false;
  let state = createPageRunState();
  let locale = readLocale(context, navigator.language);
  let panel = makePanel();
  let stopReportingSize = (): void => {};

  const messages = openMessages(window, {
    notification: handleNotification,
    request(method) {
      if (method === "ping") return {};
      if (method !== "ui/resource-teardown") return undefined;
      follower.close();
      stopReportingSize();
      return {};
    },
  });
  const callTool = createToolCaller(messages);
  const follower = createFollower({ callTool, change, notFollowed: () => say(locale, texts.notFollowed) });
  draw();
  document.body.replaceChildren(panel.element);
  if (window.parent === window) return showNoHost();

  const appInfo = { name: "duet-run", title: "Duet", version };
  const hello = { appInfo, appCapabilities: { availableDisplayModes: ["inline"] }, protocolVersion: "2026-01-26" };
  const met = await ignoreRejection(
    messages.request("ui/initialize", hello, { timeoutMs: requestTimeoutMs }),
    "without a reply there is no host, which is shown below",
  );
  if (!isRecord(met)) return showNoHost();
  canOpenLinks = isRecord(met.hostCapabilities) && met.hostCapabilities.openLinks !== undefined;
  if (isRecord(met.hostContext)) takeContext(met.hostContext);
  renderView();
  messages.notify("ui/notifications/initialized", {});
  if (window.ResizeObserver !== undefined)
    stopReportingSize = reportSize(window, (size) => messages.notify("ui/notifications/size-changed", size));

  function handleNotification(method: string, params: Record<string, unknown>): void {
    if (method === "ui/notifications/tool-input") follower.ask(readCall(params.arguments));
    if (method === "ui/notifications/tool-result") follower.settle(readResult(params));
    if (method === "ui/notifications/tool-cancelled") follower.cancel();
    if (method === "ui/notifications/host-context-changed") takeContext(params);
  }

  function change(made: RunChange): void {
    state = reducePageRun(state, made);
    draw();
  }

  function draw(): void {
    panel.show(toView(state));
  }

  function takeContext(changed: Record<string, unknown>): void {
    context = { ...context, ...changed };
    applyLook(document.documentElement, context);
    const next = readLocale(context, navigator.language);
    if (next === locale) return;
    locale = next;
    renderView();
  }

  /** Rebuilds the page, because every text changes with the language. */
  function renderView(): void {
    panel = makePanel();
    document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
    document.body.replaceChildren(panel.element);
    draw();
  }

  function makePanel() {
    return createPanel({ locale, stop, openLink: canOpenLinks ? openLink : undefined });
  }

  async function stop(runId: string): Promise<void> {
    const { isError, text } = await callTool("agent_cancel", { run_id: runId }, { timeoutMs: requestTimeoutMs });
    if (isError) throw new Error(text);
  }

  async function openLink(url: string): Promise<void> {
    const answer = await messages.request("ui/open-link", { url }, { timeoutMs: requestTimeoutMs });
    if (isRecord(answer) && answer.isError === true) throw new Error(url);
  }

  function showNoHost(): void {
    change({ type: "problem", problem: { message: say(locale, texts.noHost), hint: null } });
  }
}

/** Returns the language of the host, or else of the browser. Every language other than Chinese is read as English. */
function readLocale(context: Record<string, unknown>, browser: string): Locale {
  const language = toText(context.locale) || browser;
  return /^zh\b/i.test(language) ? "zh" : "en";
}

/** Takes over how the host looks: light or dark, its colours and fonts. */
export function applyLook(root: HTMLElement, context: Record<string, unknown>): void {
  const { theme, styles, safeAreaInsets } = context;
  if (theme === "light" || theme === "dark") {
    root.dataset.theme = theme;
    root.style.colorScheme = theme;
  }
  const variables = isRecord(styles) && isRecord(styles.variables) ? styles.variables : {};
  for (const [name, value] of Object.entries(variables))
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  if (!isRecord(safeAreaInsets)) return;
  const { top, right, bottom, left } = safeAreaInsets;
  root.style.padding = [top, right, bottom, left].map((side) => `${typeof side === "number" ? side : 0}px`).join(" ");
}

/** Reports the size of what the page shows, now and at each change, until the returned function is called. */
export function reportSize(
  window: Window & typeof globalThis,
  report: (size: { width: number; height: number }) => void,
) {
  const root = window.document.documentElement;
  let reported = "";
  const measure = (): void => {
    // The page may be shown higher than it has to be.
    const before = root.style.height;
    root.style.height = "max-content";
    const size = { width: Math.ceil(window.innerWidth), height: Math.ceil(root.getBoundingClientRect().height) };
    root.style.height = before;
    if (reported === JSON.stringify(size)) return;
    reported = JSON.stringify(size);
    report(size);
  };
  let frame = 0;
  const observer = new window.ResizeObserver(() => {
    window.cancelAnimationFrame(frame);
    frame = window.requestAnimationFrame(measure);
  });
  observer.observe(root);
  observer.observe(window.document.body);
  return () => observer.disconnect();
}

export interface MessageHandlers {
  notification(method: string, params: Record<string, unknown>): void;
  /** Answers a request of the host; undefined for a method that is not known. */
  request(method: string): object | undefined;
}

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
  done(): void;
}

/** Takes messages of the window around the page alone. */
export function openMessages(window: Window, handlers: MessageHandlers): Messages {
  const host = window.parent;
  const waiting = new Map<number, PendingRequest>();
  let lastId = 0;

  // A sandboxed page cannot know its host's origin; it learns nothing that the host does not know already.
  const send = (message: object): void => host.postMessage({ jsonrpc: "2.0", ...message }, "*");

  const settle = (message: Record<string, unknown>): void => {
    if (typeof message.id !== "number") return;
    const waits = waiting.get(message.id);
    if (waits === undefined) return;
    waiting.delete(message.id);
    waits.done();
    if (isRecord(message.error)) waits.reject(new Error(toText(message.error.message) || "error"));
    else waits.resolve(message.result);
  };

  const answer = (id: unknown, method: string): void => {
    const result = handlers.request(method);
    const error = { code: -32601, message: `Method not found: ${method}` };
    send(result === undefined ? { id, error } : { id, result });
  };

  window.addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== host || !isRecord(data) || data.jsonrpc !== "2.0") return;
    if (typeof data.method !== "string") return settle(data);
    if (data.id !== undefined) return answer(data.id, data.method);
    handlers.notification(data.method, isRecord(data.params) ? data.params : {});
  });

  return {
    notify: (method, params) => send({ method, params }),
    request(method, params, { timeoutMs, signal }) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const stop = (reason: string): void => {
          if (!waiting.delete(id)) return;
          finishWaiting();
          send({ method: "notifications/cancelled", params: { requestId: id, reason } });
          reject(new Error(reason));
        };
        const abort = (): void => stop("aborted");
        const timer = setTimeout(() => stop("timed out"), timeoutMs);
        const finishWaiting = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
        };
        waiting.set(id, { resolve, reject, done: finishWaiting });
        signal?.addEventListener("abort", abort, { once: true });
        send({ id, method, params });
      });
    },
  };
}
