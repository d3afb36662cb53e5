import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { toTurnStep } from "../../agent/context/given-steps.ts";
import type { Caller } from "../../core/caller.ts";
import { listHashes } from "../../core/files/run-files.ts";
import type { AgentTrace } from "../../core/run/trace.ts";
import type { Conversation, ConversationTurn } from "../../core/store/conversations/conversation.ts";
import { createId } from "../../core/store/create-id.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { detectLanguage } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { createMemorySourceList } from "../../store/memory/source-list.ts";
import type { GivenTurn } from "../ask/ask-request.ts";
import type { LoadedConversation } from "./sessions.ts";

/** Holds a conversation that the asker keeps, in the form that a run loads. */
export interface GivenHistory extends LoadedConversation {
  known: Conversation;
  /** Takes what the run writes, of which `kept` sees nothing. */
  store: ConversationStore;
}

/**
 * Handles conversations that askers keep themselves and send with each question. The data behind the words (sources with their
 * numbers, a summary, a plan that waits) is looked up by the words, while the process lives and they are unchanged. Otherwise a
 * conversation begins with the words alone.
 */
export interface GivenHistories {
  open(turns: readonly AskedTurn[], place: GivenPlace): GivenHistory;
  /** Returns what a run of such a conversation did. Nothing of it is stored, so it is known for a while, in this process. */
  findTrace(runId: string, caller: Caller): AgentTrace | undefined;
}

export interface GivenPlace {
  caller: Caller;
  kept: ConversationStore;
  /** Holds the numbers of the asker's own documents, which no source of ours may have. */
  documents?: ReadonlySet<number> | undefined;
}

/** Is a turn with what the asker itself has called for it. */
export type AskedTurn = ConversationTurn & Pick<GivenTurn, "givenSteps">;

interface GivenConversation {
  owner: string | undefined;
  conversation: Conversation;
}

export interface GivenHistoryLimits {
  most: number;
  /** Limits all kept text, in UTF-16 units. Text that conversations share is counted for each. */
  mostText: number;
  /** Limits the traces, in UTF-16 units of their JSON. */
  mostTraces?: number;
}

const usual: GivenHistoryLimits = { most: 1000, mostText: 30_000_000 };

interface KeptTrace {
  owner: string | undefined;
  trace: AgentTrace;
}

export function createGivenHistories({
  most,
  mostText,
  mostTraces = 10_000_000,
}: GivenHistoryLimits = usual): GivenHistories {
  const traces = new LRUCache<string, KeptTrace>({
    max: most,
    maxSize: mostTraces,
    sizeCalculation: ({ trace }) => JSON.stringify(trace).length,
  });
  const kept = new LRUCache<string, GivenConversation>({
    max: most,
    maxSize: mostText,
    sizeCalculation: measureConversation,
  });

  /** Keeps a conversation. One owner gets at most half of the space, so that nobody can displace the words of all others. */
  function saveConversation(owner: string | undefined, key: string, conversation: Conversation): void {
    const added = { owner, conversation };
    let count = 1;
    let text = measureConversation(added);
    kept.delete(key);
    if (text > mostText / 2) return;
    for (const [other, each] of [...kept.entries()].filter(([, each]) => each.owner === owner)) {
      count += 1;
      text += measureConversation(each);
      if (count > most / 2 || text > mostText / 2) kept.delete(other);
    }
    kept.set(key, added);
  }

  return {
    findTrace(runId, caller) {
      const found = traces.get(runId);
      return found?.owner === caller.owner ? found?.trace : undefined;
    },
    open(turns, { caller, kept: elsewhere, documents }) {
      const key = toHistoryKey(caller, turns);
      const { owner } = caller;
      const before = kept.get(key)?.conversation;
      // A plan that waits is replied to once: asked for again, the same words make a new plan.
      if (before?.pendingPlan !== undefined) saveConversation(owner, key, { ...before, pendingPlan: undefined });
      const known = clearNumbers(before ?? begin(turns), Math.max(0, ...(documents ?? [])));
      let { summary } = known;
      return {
        known,
        waitedMs: 0,
        store: {
          ...elsewhere,
          async append({ turn, trace, pendingPlan, loadedTools = known.loadedTools, marker = known.marker }) {
            traces.set(trace.run_id, { owner, trace });
            const now: Conversation = { ...known, summary, pendingPlan, loadedTools, marker };
            if (turn === undefined) {
              // Nothing was said; but a plan may wait still.
              if (pendingPlan !== undefined) saveConversation(owner, key, now);
              return;
            }
            // The asker brings back what it was shown, which is not all that the model wrote.
            const { images: _, ...added } = turn;
            const { question, files } = turn;
            // The asker brings the images of the question back too; those of tools end with the run.
            const shown = [...turns, { question, answer: trace.final_answer, files }];
            saveConversation(owner, toHistoryKey(caller, shown), { ...now, turns: [...known.turns, added] });
          },
          async summarise(_, made) {
            summary = made;
          },
        },
      };
    },
  };
}

function begin(turns: readonly AskedTurn[]): Conversation {
  const marker = createRandomHex().slice(0, 8);
  const read = turns.map(({ givenSteps = [], ...turn }): ConversationTurn => {
    if (givenSteps.length === 0) return turn;
    const language = detectLanguage(turn.question, "en");
    return { ...turn, steps: givenSteps.map((step) => toTurnStep(step, { marker, language })) };
  });
  return { id: createId("conv"), turns: read, summary: undefined, sources: createMemorySourceList(), marker };
}

/**
 * Returns the conversation with its sources behind the last of the asker's documents. Pages bring the documents of one question
 * only, so that numbers which were free before may be taken now.
 */
function clearNumbers(conversation: Conversation, lastDocument: number): Conversation {
  const known = conversation.sources.all();
  if (lastDocument === 0 || (known[0] && known[0].n > lastDocument)) return conversation;
  const sources = createMemorySourceList({ after: lastDocument, sources: known.map(({ source }) => source) });
  const by = lastDocument + 1 - (known[0]?.n ?? 0);
  return { ...conversation, sources, turns: conversation.turns.map((turn) => moveSources(turn, by)) };
}

/** Moves the numbers of the sources that the results of a turn name. Its texts keep the numbers that the asker was shown. */
function moveSources(turn: ConversationTurn, by: number): ConversationTurn {
  const steps = turn.steps?.map((step) => ({
    ...step,
    results: step.results.map((result) =>
      result.sources
        ? { ...result, sources: { ...result.sources, numbers: result.sources.numbers.map((n) => n + by) } }
        : result,
    ),
  }));
  return { ...turn, ...(steps && { steps }) };
}

function toHistoryKey({ owner }: Caller, turns: readonly ConversationTurn[]): string {
  const said = turns.map(({ question, answer, files = [] }) => {
    return [question.trim(), answer.trim(), ...files.flatMap(listHashes)];
  });
  return createHash("sha256")
    .update(JSON.stringify([owner ?? null, said]))
    .digest("base64url");
}

function measureConversation({
  conversation: { turns, sources, summary, pendingPlan = "" },
}: GivenConversation): number {
  const said = turns.reduce((sum, { question, answer, steps, answerPrompt = "" }) => {
    const called = steps === undefined ? 0 : JSON.stringify(steps).length;
    return sum + question.length + answer.length + answerPrompt.length + called;
  }, 0);
  const found = sources
    .all()
    .reduce((sum, { source: { title, url, snippet } }) => sum + (title + url + snippet).length, 0);
  return 1 + said + found + pendingPlan.length + (summary?.text.length ?? 0);
}
