import type { Models } from "./agent/run.ts";
import type { ModelCheck, SearchCheck } from "./app/checkup.ts";
import { type Inventory, noTools, openOffer, type Wanted } from "./app/inventory.ts";
import { type LimitChanges, mergeLimits } from "./app/limits.ts";
import { choose, chooseModels } from "./app/models.ts";
import { lostConversation, unavailable } from "./app/notices.ts";
import type { Config } from "./config.ts";
import type { AgentEvent } from "./core/events.ts";
import { type Locale, languageOf } from "./core/locale.ts";
import type { Mode } from "./core/outcome.ts";
import { abortable } from "./core/waiting.ts";

export type { Inventory } from "./app/inventory.ts";

/** The whole agent, opened once and shared by every face and connection. */
export interface Duet {
  /** The language of what Duet says when there is no question to go by. */
  readonly locale: Locale;
  /** The language in which to speak about a question: the configured one or the system's, else the question's own. */
  localeFor(question: string): Locale;
  /** Runs one question; see `runAgent` for the promises of the stream. */
  ask(request: AskRequest): AsyncGenerator<AgentEvent, void, undefined>;
  /** The two roles in force; the same object twice when one model plays both. */
  models(): Promise<Models>;
  /** Every tool there is now, the servers' state, and what was left out and why. Waits for the servers to start. */
  inventory(signal?: AbortSignal): Promise<Inventory>;
  /** Asks each model in use for one word, side by side; rejects only when the signal aborts. */
  checkModels(signal: AbortSignal): Promise<ModelCheck[]>;
  /** The search backend in use, which is not asked; null when search is off. */
  searchInUse(): Promise<SearchCheck | null>;
  /** Stops every downstream server; resolves when none is left. */
  close(): Promise<void>;
}

export interface AskRequest {
  question: string;
  conversationId?: string;
  mode?: Exclude<Mode, "plan">;
  /** Only tools whose names fit one of these patterns. */
  tools?: readonly string[];
  /** What this question changes of the configured limits. */
  limits?: LimitChanges;
  signal?: AbortSignal;
}

/** How long a question waits for servers that are still starting, in milliseconds; it goes on without the late ones. */
const patienceMs = 10_000;

/** Opens the agent. Downstream servers begin to start at once; everything heavy is imported when first needed. */
export function openDuet(config: Config): Duet {
  const agent = once(openAgent);
  const offer = openOffer(config);
  const models = once(() => chooseModels(config));
  /** Which servers' failures a conversation has been told. */
  const told = new WeakMap<object, Set<string>>();

  function toldIn(conversation: object): Set<string> {
    const known = told.get(conversation) ?? new Set();
    told.set(conversation, known);
    return known;
  }

  function localeFor(question: string): Locale {
    return config.localeIsChosen ? config.locale : languageOf(question, config.locale);
  }

  return {
    locale: config.locale,
    localeFor,
    models,
    inventory: (signal) => abortable(offer.take({}, { signal }), signal),
    async checkModels(signal) {
      const [{ checkModels }, chosen] = await Promise.all([import("./app/checkup.ts"), choose(config)]);
      return checkModels(chosen, config.locale, signal);
    },
    searchInUse: async () => (await import("./app/checkup.ts")).searchInUse(config),
    async *ask({ question, conversationId, mode = "agent", tools, limits, signal }) {
      const began = performance.now();
      const locale = localeFor(question);
      const { runAgent, conversations } = await agent();
      const isLost = conversationId !== undefined && !conversations.has(conversationId);
      const conversation = conversations.open(conversationId);
      const chosen = await models();
      // A caller who leaves while servers start still gets a run, which says that it was cancelled.
      const wanted: Wanted = { allow: tools, patienceMs, signal };
      const taken = mode === "chat" ? noTools : offer.take(conversation, wanted);
      const { tools: ours, servers } = await abortable(Promise.resolve(taken), signal).catch(unlessAborted(signal));
      yield* runAgent({
        question,
        mode,
        conversation,
        models: chosen,
        tools: ours,
        limits: mergeLimits(config, limits),
        locale,
        spentMs: performance.now() - began,
        notices: [...(isLost ? [lostConversation(locale)] : []), ...unavailable(servers, toldIn(conversation), locale)],
        signal,
      });
    },
    close: offer.close,
  };
}

async function openAgent() {
  const [{ runAgent }, { createConversations }] = await Promise.all([
    import("./agent/run-agent.ts"),
    import("./agent/conversation.ts"),
  ]);
  return { runAgent, conversations: createConversations() };
}

function unlessAborted(signal: AbortSignal | undefined): (thrown: unknown) => Inventory {
  return (thrown) => {
    if (signal?.aborted) return noTools;
    throw thrown;
  };
}

/** Does the work at the first call and gives its result to every later one; work that failed is tried again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work().catch((thrown) => {
      result = undefined;
      throw thrown;
    });
    return result;
  };
}
