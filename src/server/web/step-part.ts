import { type Locale, say, type Text } from "../../kit/locale.ts";
import { createSanitizer, sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { renderSeconds, toCallName, toResultName } from "../../render/event-lines.ts";
import { renderDollars } from "../../render/known-cost.ts";
import {
  createElement,
  createFold,
  createLink,
  createList,
  type OpenLink,
  type Part,
  setShown,
  setText,
} from "./dom.ts";
import type { CallEnd, CallItem, FoundSource, NoticeItem, RunView, StepItem, StepView } from "./run/run-view.ts";
import { renderStepTitle, texts } from "./texts.ts";

/** Is the result of a call, and where the server keeps all of it: the run, once it is over, and the number of the call in it. */
export interface ShownResult {
  readonly text: string;
  readonly place: { readonly runId: string; readonly call: number } | undefined;
}

/** Holds what differs between the pages that show steps. */
export interface StepOptions {
  readonly openLink?: OpenLink | undefined;
  /** Shows results; without it they are shown as they come. */
  readonly createResult?: ((title: string) => Part<ShownResult>) | undefined;
}

export interface ShownStep {
  readonly step: StepView;
  /** Is the run, once it is over. */
  readonly runId: string | undefined;
  /** Counts the calls of the steps before it. */
  readonly callsBefore: number;
  /** Is true while the run works on the step and has not begun its answer. */
  readonly isNow: boolean;
}

type ShownRun = Pick<RunView, "steps" | "status" | "runId">;

function listShownSteps({ steps, status, runId }: ShownRun): ShownStep[] {
  const isGoing = status === "running" || status === "waiting" || status === "needs_confirmation";
  let callsBefore = 0;
  return steps.map((step, index) => {
    const isNow = isGoing && index === steps.length - 1 && !step.hasWritten;
    const shown = { step, isNow, runId: isGoing ? undefined : runId, callsBefore };
    callsBefore += step.items.filter(({ kind }) => kind === "call").length;
    return shown;
  });
}

/** Gives each call its number in the run. */
function placeItems({ step, runId, callsBefore }: ShownStep): PlacedItem[] {
  let call = callsBefore;
  return step.items.map((item) => {
    if (item.kind !== "call") return { item, place: undefined };
    call += 1;
    return { item, place: runId === undefined ? undefined : { runId, call } };
  });
}

interface PlacedItem {
  readonly item: StepItem;
  readonly place: ShownResult["place"];
}

/** Shows one turn of a model and its results. It is open while the run works on it and collapses afterwards. */
function createStepPart(locale: Locale, options: StepOptions): Part<ShownStep> {
  const title = createElement("span", { class: "title" });
  const facts = createElement("span", { class: "facts" });
  const reason = createElement("p", { class: "reason", dir: "auto" });
  const reasoning = createThinking(locale);
  const thought = createWriting(locale, texts.thought);
  const items = createElement("ul");
  const showItems = createList(items, () => createItem(locale, options));
  const fold = createFold([title, " ", facts], [reason, reasoning.element, thought.element, items]);
  const clock = createClock(facts);
  let before: ShownStep | undefined;
  return {
    element: createElement("li", { class: "step" }, fold.element),
    show(shown) {
      const { step, isNow } = shown;
      if (before?.step === step && before.isNow === isNow && before.runId === shown.runId) return;
      before = shown;
      setText(title, say(locale, renderStepTitle(step)));
      setText(facts, renderFacts(step));
      clock.run(isNow && step.end === undefined);
      fold.element.dataset.failed = String(step.end?.isFailed === true);
      setText(reason, sanitize(step.reason));
      setShown(reason, step.reason !== "");
      reasoning.show({ text: step.reasoning, isNow: isNow && step.end === undefined && step.thought === "" });
      thought.show(step.thought);
      showItems(placeItems(shown));
      setShown(items, step.items.length > 0);
      fold.open(isNow);
    },
  };
}

export function createNotice(name: "li" | "p"): Part<Pick<NoticeItem, "level" | "message">> {
  const notice = createElement(name, { class: "notice", dir: "auto" });
  return {
    element: notice,
    show({ level, message }) {
      setText(notice, `${level === "warning" ? "⚠" : "ℹ"} ${sanitize(message)}`);
      notice.dataset.level = level;
    },
  };
}

function renderFacts({ model, end }: StepView): string {
  if (end === undefined) return model;
  const cost = end.costUsd === null ? undefined : renderDollars(end.costUsd);
  return [model, `${end.inputTokens} → ${end.outputTokens}`, renderSeconds(end.elapsedMs), cost]
    .filter(Boolean)
    .join(" · ");
}

function createWriting(locale: Locale, title: Text): Part<string> {
  const words = createGrowing();
  const whole = createElement("div", { class: "writing" }, createElement("h3", {}, say(locale, title)), words.element);
  return {
    element: whole,
    show(text) {
      words.show(text);
      setShown(whole, text !== "");
    },
  };
}

/**
 * Shows a model's thoughts. They are open while it thinks and collapse once when it is done
 * (docs/development/model-invocation.md#思考内容自动折叠).
 */
function createThinking(locale: Locale): Part<{ readonly text: string; readonly isNow: boolean }> {
  const title = createElement("span", { class: "title" });
  const words = createGrowing();
  const fold = createFold([title], [words.element]);
  fold.element.classList.add("thinking");
  return {
    element: fold.element,
    show({ text, isNow }) {
      setShown(fold.element, text !== "");
      setText(title, say(locale, isNow ? texts.thinking : texts.reasoning));
      words.show(text);
      if (text !== "") fold.open(isNow);
    },
  };
}

/** Shows a text that only grows at its end. Text already shown is not rewritten. */
function createGrowing(): Part<string> {
  const words = createElement("p", { class: "words", dir: "auto" });
  let before = "";
  let stream = createSanitizer();
  return {
    element: words,
    show(text) {
      if (text === before) return;
      if (!text.startsWith(before)) {
        before = "";
        stream = createSanitizer();
        words.replaceChildren();
      }
      words.append(stream.push(text.slice(before.length)));
      before = text;
    },
  };
}

/** The kind of an item never changes, so its part is created when it is first shown. */
function createItem(locale: Locale, options: StepOptions): Part<PlacedItem> {
  const item = createElement("li");
  const call = createCall(locale, options);
  const notice = createNotice("p");
  const evaluation = createElement("p", { class: "evaluation", dir: "auto" });
  return {
    element: item,
    show({ item: value, place }) {
      if (value.kind === "call") call.show({ ...value, place });
      if (value.kind === "notice") notice.show(value);
      if (value.kind === "evaluation") setText(evaluation, `⚖ ${sanitize(value.message)}`);
      const shown = { call: call.element, notice: notice.element, evaluation }[value.kind];
      if (item.firstChild !== shown) item.replaceChildren(shown);
    },
  };
}

/** Shows a tool call. Its name and duration are on one line; its arguments, progress and result are below. */
function createCall(
  locale: Locale,
  { openLink, createResult = createPlainResult }: StepOptions,
): Part<CallItem & Pick<PlacedItem, "place">> {
  const sign = createElement("span", { class: "sign", role: "img" });
  const tool = createElement("code");
  const facts = createElement("span", { class: "facts" });
  const clock = createClock(facts);
  const given = createText(say(locale, texts.arguments));
  const progress = createElement("p", { class: "words", dir: "auto" });
  const result = createResult(say(locale, texts.result));
  const top = createElement("ul", { class: "top" });
  const showTop = createList(top, () => createSource(openLink));
  const fold = createFold([sign, " ", tool, " ", facts], [given.element, progress, top, result.element]);
  return {
    element: fold.element,
    show({ tool: name, arguments: args, progress: said, hasSteps, end, place }) {
      const state = end === undefined ? "running" : end.isOk ? "ok" : "failed";
      fold.element.dataset.state = state;
      setText(sign, signs[state]);
      sign.setAttribute("aria-label", say(locale, texts[state]));
      setText(tool, end === undefined ? toCallName(name, locale) : toResultName(name, locale));
      fold.open(end === undefined);
      setText(facts, listCallFacts(end, locale));
      clock.run(end === undefined);
      given.show(JSON.stringify(args, undefined, 2) ?? "");
      setText(progress, sanitize(said));
      setShown(progress, said !== "" && (hasSteps === true || end === undefined));
      showTop(end?.top ?? []);
      setShown(top, (end?.top ?? []).length > 0);
      result.show({ text: end?.result ?? "", place });
    },
  };
}

const signs = { running: "…", ok: "✓", failed: "✗" };

function listCallFacts(end: CallEnd | undefined, locale: Locale): string {
  if (end === undefined) return "";
  const { resultCount: count } = end;
  const found =
    count === undefined
      ? ""
      : say(locale, { zh: `${count} 条结果`, en: `${count} ${count === 1 ? "result" : "results"}` });
  return [`${end.elapsedMs} ms`, found, end.isCached && say(locale, texts.cached)].filter(Boolean).join(" · ");
}

function createSource(openLink: OpenLink | undefined): Part<FoundSource> {
  const item = createElement("li", { dir: "auto" });
  let before = "";
  return {
    element: item,
    show({ title, url, snippet = "" }) {
      const now = `${title} ${url} ${snippet}`;
      if (now === before) return;
      before = now;
      const words = snippet === "" ? [] : [createElement("p", { class: "facts" }, sanitizeLine(snippet))];
      item.replaceChildren(createLink(url, sanitizeLine(title || url), openLink), ...words);
    },
  };
}

/** Shows an untrusted text with a title. A long text scrolls, also by keyboard. */
function createText(title: string): Part<string> {
  const text = createElement("pre", { tabindex: "0", role: "group", "aria-label": title, dir: "auto" });
  const whole = createElement("div", {}, createElement("h3", {}, title), text);
  return {
    element: whole,
    show(value) {
      setText(text, sanitize(value));
      setShown(whole, value !== "");
    },
  };
}

function createPlainResult(title: string): Part<ShownResult> {
  const shown = createText(title);
  return { element: shown.element, show: ({ text }) => shown.show(text) };
}

/** Shows the seconds since something began, while it is in progress. */
export interface Clock {
  run(isRunning: boolean): void;
}

/**
 * Counts in the element's `data-seconds`, which the style shows: what is read out, copied or compared is not changed by it. It
 * stops by itself where the element has left the page.
 */
function createClock(element: HTMLElement): Clock {
  let timer: ReturnType<typeof setInterval> | undefined;
  let startedAt = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    element.removeAttribute("data-seconds");
  };
  const updateTime = (): void => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000);
    if (element.isConnected) element.setAttribute("data-seconds", String(seconds));
    else stop();
  };
  return {
    run(isRunning) {
      if (!isRunning) stop();
      if (!isRunning || timer !== undefined) return;
      startedAt = performance.now();
      timer = setInterval(updateTime, 1000);
    },
  };
}

export interface ShownSteps {
  readonly view: ShownRun;
  readonly isNewest: boolean;
}

/**
 * Shows the steps of a run, one line each. The list of the newest answer stays open until the user collapses it. The list of an
 * older answer collapses once by itself, unless the user has opened or collapsed it (docs/development/agent-mode.md#最终回答展示).
 */
export function createStepList(locale: Locale, options: StepOptions): Part<ShownSteps> {
  const list = createElement("ol");
  const count = createElement("span", { class: "facts" });
  const heading = createElement("h2", {}, say(locale, texts.steps));
  const fold = createFold([heading, " ", count], [list]);
  fold.element.classList.add("step-list");
  const showSteps = createList(list, () => createStepPart(locale, options));
  /**
   * Is undefined until there are steps. It is false for a list first shown for an older run, because the user asked to see its
   * steps.
   */
  let foldsByItself: boolean | undefined;
  const whole = createElement("section", { class: "steps", hidden: "" }, fold.element);
  return {
    element: whole,
    show({ view, isNewest }) {
      showSteps(listShownSteps(view));
      const tools = isNewest ? "" : listTools(view.steps);
      setText(count, [say(locale, describeCount(view.steps.length)), tools].filter(Boolean).join(" · "));
      setShown(whole, view.steps.length > 0);
      if (view.steps.length === 0) return;
      foldsByItself ??= isNewest;
      fold.open(isNewest || !foldsByItself);
    },
  };
}

/** Says in one line which tools an older run has used, and how often. */
function listTools(steps: readonly StepView[]): string {
  const names = steps.flatMap(({ items }) => items.flatMap((item) => (item.kind === "call" ? [item.tool] : [])));
  const counted = Map.groupBy(names, (name) => name);
  return [...counted].map(([name, all]) => sanitizeLine(name) + (all.length > 1 ? ` ×${all.length}` : "")).join(" · ");
}

function describeCount(count: number): Text {
  return { zh: `${count} 步`, en: count === 1 ? "1 step" : `${count} steps` };
}
