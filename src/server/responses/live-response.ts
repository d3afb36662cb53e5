import { LRUCache } from "lru-cache";
import type { Caller } from "../../core/caller.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createNotifier } from "../../kit/async/notifier.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { waitUntil } from "../../runs/live/wait-until.ts";
import { type HttpRefusal, toOpenAiError } from "../http/response/dialects.ts";
import { type AnswerEvent, followAnswer } from "../model-api/answer/answer-events.ts";
import type { AnswerSearch } from "../model-api/answer/answer-search.ts";
import type { OpenedAnswer } from "../model-api/answer/open-answer.ts";
import type { ReadTools } from "./client-tools.ts";
import { createSearchItem, type WireResponse } from "./response-object.ts";
import { createResponseWriter, type WireEvent, type WriterOptions } from "./response-writer.ts";
import type { StoredResponse } from "./stored-response.ts";
import { rewriteResponse } from "./write-items.ts";

/** Represents a response whose run this process carries out, or has lately. Any number of readers may follow it. */
export interface LiveResponse {
  readonly run: RunHandle;
  /** Is the response as it is now. Once it is over it has the whole answer, also where the events have only a part of it. */
  readonly response: WireResponse;
  readonly stored: StoredResponse;
  /** Lists the events so far. The last one is not for readers before `isSettled`. */
  readonly events: readonly WireEvent[];
  /** Counts the times that a silent reader was to be told that the run goes on. */
  readonly ticks: number;
  /** Says why there is no answer, once that is so. */
  readonly failure: HttpRefusal | undefined;
  /** Is true once the last event is there. */
  readonly isOver: boolean;
  /** Is true once the response is over and saved, as far as it can be. */
  readonly isSettled: boolean;
  /** Is true for a response that is over, once the store has been given it. Where it has not, only this process knows it. */
  readonly isSaved: boolean;
  /** Resolves at the next event, at the end, or when the signal aborts. */
  waitForEvent(signal: AbortSignal): Promise<void>;
  /**
   * Resolves once the response and its run are recorded, so that another process finds them by their IDs, or when the signal aborts.
   * Resolves with false where the response could not be saved.
   */
  waitUntilRecorded(signal: AbortSignal): Promise<boolean>;
  /** Saves nothing more of the response, and resolves when what was to be saved before is. */
  forget(): Promise<void>;
}

export interface LiveOptions extends WriterOptions, Pick<ReadTools, "writeCall" | "search"> {
  answer: OpenedAnswer;
  stored: StoredResponse;
  locale: Locale;
  /**
   * Saves the response as it is then, and resolves with whether that succeeded. One that was saved before is not saved again where
   * another process has removed it. Must not reject.
   */
  save(stored: StoredResponse, wasSaved: boolean): Promise<boolean>;
}

/** Follows a run and writes its response. */
export function createLiveResponse({ answer, stored, locale, save, ...options }: LiveOptions): LiveResponse {
  const { run } = answer;
  const events: WireEvent[] = [];
  const notifier = createNotifier();
  let ticks = 0;
  let failure: HttpRefusal | undefined;
  let isOver = false;
  let isSettled = false;
  let isSaved = false;
  const writer = createResponseWriter(
    stored.response,
    (event) => {
      events.push(event);
      notifier.notify();
    },
    options,
  );
  let rewritten: WireResponse | undefined;
  const getResponse = (): WireResponse => rewritten ?? writer.response;

  function toStored(): StoredResponse {
    const conversationId = stored.conversationId ?? (run.conversationId || undefined);
    return { ...stored, conversationId, response: getResponse() };
  }

  /** What readers were sent cannot be taken back, and whoever asks for the response gets what came of it. */
  function endWith({ end, whole }: Extract<AnswerEvent, { type: "end" }>): void {
    writer.end(end);
    if (whole) rewritten = rewriteResponse(writer.response, { whole, ...options });
  }

  /** Whoever has asked for a response finds it by its own ID, and not by that of its run. */
  function explainMove(refusal: HttpRefusal): HttpRefusal {
    return run.isMoved && stored.response.store
      ? { ...refusal, hint: describeMoved(stored.response.id, locale) }
      : refusal;
  }

  function finish(event: Extract<AnswerEvent, { type: "end" | "failure" }>): void {
    isOver = true;
    if (event.type === "failure") failure = explainMove(event.failure);
    const isCancelled = run.outcome?.status === "cancelled";
    if (isCancelled) writer.cancel(event.type === "end" ? event.end.usage : undefined);
    else if (event.type === "end") endWith(event);
    else writer.fail(toOpenAiError(failure ?? event.failure, locale));
  }

  /** Programs that have not offered the tool take its calls for ones of tools that they do not have. */
  function addSearch(search: AnswerSearch): void {
    if (!options.search) return;
    const showsSources = stored.body.include?.includes("web_search_call.action.sources") ?? false;
    writer.addSearch((responseId, index) => createSearchItem(responseId, index, search, showsSources));
  }

  function handle(event: AnswerEvent): void {
    if (event.type === "reasoning") writer.addReasoning(event.text);
    else if (event.type === "text") writer.addText(event.text);
    else if (event.type === "search") addSearch(event.search);
    else if (event.type === "tool-call") writer.addCall(options.writeCall(event.call));
    else if (event.type !== "tick") finish(event);
    else {
      ticks += 1;
      notifier.notify();
    }
  }

  let isForgotten = false;
  const firstSave = save(toStored(), false);
  let saving = firstSave;

  async function saveEnd(): Promise<void> {
    const wasSaved = await saving;
    // Where the run goes on, its end is saved there.
    if (run.isMoved) return;
    if (!isForgotten) saving = save(toStored(), wasSaved);
    isSaved = (await saving) || wasSaved;
  }

  writer.begin();
  void followAnswer(answer, handle, new AbortController().signal)
    .then(saveEnd)
    .finally(() => {
      isSettled = true;
      notifier.notify();
    });
  return {
    run,
    get response() {
      return getResponse();
    },
    get stored() {
      return toStored();
    },
    events,
    get ticks() {
      return ticks;
    },
    get failure() {
      return failure;
    },
    get isOver() {
      return isOver;
    },
    get isSettled() {
      return isSettled;
    },
    get isSaved() {
      return isSaved;
    },
    waitForEvent: notifier.wait,
    async waitUntilRecorded(signal) {
      if ((await ignoreRejection(waitAbortable(firstSave, signal), "whoever has left waits no more")) === false)
        return false;
      // The first event comes once the run is recorded.
      await waitUntil(run, () => run.events.length > 0, signal);
      return true;
    },
    async forget() {
      isForgotten = true;
      await saving;
    },
  };
}

/** Returns one text for both languages: what went before it is that of the run, too. */
function describeMoved(id: string, locale: Locale): Text {
  const said = say(locale, {
    zh: `请用 GET /v1/responses/${id} 取得结果。`,
    en: `Ask GET /v1/responses/${id} for the result.`,
  });
  return { zh: said, en: said };
}

/** Waits until a response is over and saved, or until the signal aborts. */
export async function waitUntilSettled(live: LiveResponse, signal: AbortSignal): Promise<void> {
  while (!live.isSettled && !signal.aborted) await live.waitForEvent(signal);
}

/** Holds the responses whose runs this process carries out, and for some time those that have ended. */
export interface LiveResponses {
  find(id: string, caller: Caller): LiveResponse | undefined;
  add(live: LiveResponse, caller: Caller): void;
  remove(id: string, caller: Caller): void;
  /** Removes those of a conversation of the caller's owner. */
  removeConversation(conversationId: string, caller: Caller): void;
}

/** Is how long the events of a response are there for readers who come back, in milliseconds. */
const keepEventsMs = 600_000;

/** Limits how many of them there are, and what they take in UTF-16 units. */
const mostEnded = 500;
const mostLength = 16_000_000;

export function createLiveResponses(): LiveResponses {
  const active = new Map<string, LiveResponse>();
  const ended = new LRUCache<string, LiveResponse>({
    max: mostEnded,
    maxSize: mostLength,
    sizeCalculation: ({ events }) => JSON.stringify(events).length,
    ttl: keepEventsMs,
    ttlAutopurge: true,
  });
  /** Callers of one owner may have rights to different tools, and do not see each other's runs. */
  const toKey = ({ owner, tools }: Caller, id: string): string => JSON.stringify([owner, tools, id]);
  return {
    find: (id, caller) => active.get(toKey(caller, id)) ?? ended.get(toKey(caller, id)),
    add(live, caller) {
      const key = toKey(caller, live.response.id);
      active.set(key, live);
      void waitUntilSettled(live, new AbortController().signal).then(() => {
        if (active.delete(key)) ended.set(key, live);
      });
    },
    remove(id, caller) {
      active.delete(toKey(caller, id));
      ended.delete(toKey(caller, id));
    },
    removeConversation(conversationId, { owner }) {
      for (const responses of [active, ended])
        for (const [key, live] of [...responses.entries()])
          if (live.run.caller.owner === owner && live.stored.conversationId === conversationId) {
            void live.forget();
            responses.delete(key);
          }
    },
  };
}
