import { isRecord, toText } from "../../../kit/json.ts";
import { say } from "../../../kit/locale.ts";
import { version } from "../../../kit/version.ts";
import { createPanel } from "../panel.ts";
import { createRunState, type RunChange, reduceRunState } from "../run/run-state.ts";
import { toView } from "../run/to-view.ts";
import { texts } from "../texts.ts";
import { createToolCaller, readResult } from "./call-tool.ts";
import { applyLook, readLocale } from "./context.ts";
import { createFollower } from "./follow.ts";
import { openMessages } from "./messages.ts";
import { reportSize } from "./size.ts";

function readCall(args: unknown) {
  const { question, confirmation } = isRecord(args) ? args : {};
  return { question: toText(question), confirmation: toText(confirmation) || undefined };
}

const requestTimeoutMs = 30_000;

/** The page in a host (MCP Apps, revision 2026-01-26): shows the run of the tool call that it was opened for. */
export async function startRunApp(window: Window & typeof globalThis): Promise<void> {
  const { document, navigator } = window;
  let context: Record<string, unknown> = {};
  let canOpenLinks = false;
  let state = createRunState();
  let locale = readLocale(context, navigator.language);
  let panel = makePanel();
  let untellSize = (): void => {};

  const messages = openMessages(window, {
    notification: hear,
    request(method) {
      if (method === "ping") return {};
      if (method !== "ui/resource-teardown") return undefined;
      follower.end();
      untellSize();
      return {};
    },
  });
  const callTool = createToolCaller(messages);
  const follower = createFollower({ callTool, change, notFollowed: () => say(locale, texts.notFollowed) });
  draw();
  document.body.replaceChildren(panel.element);
  if (window.parent === window) return tellNoHost();

  const appInfo = { name: "duet-run", title: "Duet", version };
  const hello = { appInfo, appCapabilities: { availableDisplayModes: ["inline"] }, protocolVersion: "2026-01-26" };
  const met = await messages.request("ui/initialize", hello, { timeoutMs: requestTimeoutMs }).catch(() => undefined);
  if (!isRecord(met)) return tellNoHost();
  canOpenLinks = isRecord(met.hostCapabilities) && met.hostCapabilities.openLinks !== undefined;
  if (isRecord(met.hostContext)) takeContext(met.hostContext);
  renew();
  messages.notify("ui/notifications/initialized", {});
  if (window.ResizeObserver !== undefined)
    untellSize = reportSize(window, (size) => messages.notify("ui/notifications/size-changed", size));

  function hear(method: string, params: Record<string, unknown>): void {
    if (method === "ui/notifications/tool-input") follower.ask(readCall(params.arguments));
    if (method === "ui/notifications/tool-result") follower.settle(readResult(params));
    if (method === "ui/notifications/tool-cancelled") follower.cancel();
    if (method === "ui/notifications/host-context-changed") takeContext(params);
  }

  function change(made: RunChange): void {
    state = reduceRunState(state, made);
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
    renew();
  }

  /** In another language, all is another; so it is made anew. */
  function renew(): void {
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

  function tellNoHost(): void {
    change({ type: "problem", problem: { message: say(locale, texts.noHost), hint: null } });
  }
}
