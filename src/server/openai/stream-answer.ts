import { isDraftEvent } from "../../core/drafts.ts";
import type { AgentEvent } from "../../core/events.ts";
import { renderMissingConsent } from "../../core/notices.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Locale } from "../../kit/locale.ts";
import { renderEvent } from "../../render/event-lines.ts";
import { createPlanLines } from "../../render/plan-lines.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import { type RunService, releaseRun } from "../../runs/run-service.ts";
import { openAi } from "../http/response/dialects.ts";
import { internal } from "../http/response/refusal.ts";
import type { RouteCall } from "../http/routes.ts";
import { type CompletionId, type Delta, toChunk, toUsageChunk } from "./completion.ts";
import { toCompletionEnd } from "./completion-end.ts";
import { createSentText } from "./sent-text.ts";

export interface AnswerStreamOptions {
  naming: CompletionId;
  includesUsage: boolean;
  locale: Locale;
  /** Lists what the reader sees before the answer. */
  notes: readonly string[];
  /** Resolves at the run's end, or with nothing when the signal aborts. */
  waitForEnd(run: RunHandle, signal: AbortSignal): Promise<Outcome | undefined>;
}

/** Is the longest time without output, in milliseconds. Proxies and clients give up a silent connection. */
const keepAliveMs = 10_000;

/** Streams a run as the pieces of a chat completion. The stream ends with the run, and cancelling it leaves the run as it is. */
export function streamAnswer(run: RunHandle, options: AnswerStreamOptions): ReadableStream<Uint8Array> {
  const { naming, includesUsage, locale, notes, waitForEnd: ended } = options;
  const encoder = new TextEncoder();
  const left = new AbortController();
  const over: (() => void)[] = [];

  function start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const reasoning = createReasoning(locale, { showsDrafts: true });
    const send = (text: string): void => controller.enqueue(encoder.encode(text));
    const sendData = (data: object): void => send(`data: ${JSON.stringify(data)}\n\n`);
    const add = (delta: Delta): void => sendData(toChunk(naming, delta, null, { includesUsage }));
    const sent = createSentText();
    function addContent(text: string): void {
      const rest = sent.push(text);
      if (rest !== "") add({ content: rest });
    }
    function take(event: AgentEvent): void {
      const thought = reasoning(event);
      if (event.type === "answer-delta") addContent(event.text);
      else if (event.type === "answer-restart") sent.restart();
      else if (thought !== "") add({ reasoning_content: thought });
    }
    function finish(outcome: Outcome): void {
      const ending = toCompletionEnd(outcome, locale);
      if ("failure" in ending) {
        sendData(openAi(ending.failure, locale).body);
        return;
      }
      for (const line of renderMissingConsent(ending)) add({ content: `\n\n${line}` });
      if (ending.notice !== "") add({ reasoning_content: `\n\n${ending.notice}` });
      if (ending.annotations.length > 0) add({ annotations: ending.annotations });
      sendData(toChunk(naming, {}, sent.isCut ? "length" : ending.finish, { includesUsage, notices: ending.notices }));
      if (includesUsage) sendData(toUsageChunk(naming, ending.usage));
    }
    const beat = setInterval(() => send(": keep-alive\n\n"), keepAliveMs);
    over.push(() => clearInterval(beat), run.follow(take));
    add({ role: "assistant", content: "" });
    for (const note of notes) add({ reasoning_content: `ℹ ${note}\n\n` });
    for (const event of run.events) take(event);
    if (run.draft) take({ type: "draft-delta", draft: run.draft.draft, text: run.draft.text });
    void ended(run, left.signal).then((outcome) => {
      stop();
      if (outcome === undefined || left.signal.aborted) return;
      try {
        finish(outcome);
      } catch {
        // A fault of our own must not leave the reader waiting for the end.
        sendData(openAi(internal, locale).body);
      }
      send("data: [DONE]\n\n");
      controller.close();
    });
  }

  function stop(): void {
    for (const end of over.splice(0)) end();
  }

  return new ReadableStream({
    start,
    cancel() {
      stop();
      left.abort();
    },
  });
}

/**
 * Cancels the run when its client disconnects, unless others hold the run or the configuration says otherwise. The returned
 * signal aborts on the disconnect.
 */
export function abortOnLeave({ connection }: RouteCall, run: RunHandle, service: RunService): AbortSignal {
  const gone = new AbortController();
  run.hold(connection);
  connection.onClose((isWhole) => {
    if (isWhole) return void run.release(connection);
    releaseRun(service, run, [connection]);
    gone.abort();
  });
  return gone.signal;
}

/**
 * Renders what a run does beside its answer as reasoning, which OpenAI's clients show folded: thoughts are streamed, and each
 * step is a paragraph. A draft is shown as a thought while it is one; if it becomes the answer, its words are said again there.
 * Returns the text that an event adds, which is empty for most events.
 */
export function createReasoning(locale: Locale, { showsDrafts = false } = {}): (event: AgentEvent) => string {
  const planLines = createPlanLines(locale);
  /** Is set while the text ends with a thought of this kind, which may continue. */
  let growing: AgentEvent["type"] | undefined;
  let isBegun = false;
  /** Holds what was said of a draft, until what it was comes. */
  let draft = "";

  function toParagraph(text: string): string {
    const gap = isBegun ? "\n\n" : "";
    isBegun = true;
    return gap + text;
  }

  function addThought(type: AgentEvent["type"], said: string): string {
    const text = growing === type ? said : said.trimStart();
    if (text === "" || growing === type) return text;
    growing = type;
    return toParagraph(`💭 ${text}`);
  }

  /** Returns what a draft that turned out to be a thought has not said of it. */
  function removeDraft(text: string): string {
    const rest = text.startsWith(draft) ? text.slice(draft.length) : "";
    draft = "";
    return rest;
  }

  return (event) => {
    if (event.type === "draft-delta" && showsDrafts) {
      draft += event.text;
      return addThought(event.type, event.text);
    }
    if (isDraftEvent(event)) return "";
    if (event.type === "thought-delta" && draft !== "") return addThought("draft-delta", removeDraft(event.text));
    if (event.type === "thought-delta" || event.type === "reasoning-delta") return addThought(event.type, event.text);
    draft = "";
    const line = event.type === "plan" ? planLines(event.steps).join("\n") : renderEvent(event, locale);
    if (line === undefined || line === "") return "";
    growing = undefined;
    return toParagraph(line);
  };
}
